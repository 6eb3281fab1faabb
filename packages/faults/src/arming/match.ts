import type { Arming, Phase } from "./model.js";

export interface Matched {
  /** What is left armed: whatever fired isn't in it. */
  readonly armings: readonly Arming[];
  readonly fired: Arming | null;
}

/**
 * Guard: an arming fires at most once, at one request, and is gone with it. Where two are due at
 * the same request the older fires, and the other one waits for the next.
 */
export const matchArmings = (armings: readonly Arming[], phase: Phase): Matched => {
  let fired: Arming | null = null;
  const left: Arming[] = [];
  for (const arming of armings) {
    if (arming.phase !== phase) left.push(arming);
    else if (arming.nth > 1) left.push({ ...arming, nth: arming.nth - 1 });
    else if (fired === null) fired = arming;
    else left.push(arming);
  }
  return { armings: left, fired };
};
