import { type CompiledCanaries, createCanaryWatch } from "../canary/index.js";

export type Scanned =
  | { readonly kind: "clear"; readonly bytes: Uint8Array }
  | { readonly kind: "found"; readonly id: string };

/** Lets bytes pass that can't be part of what is searched for, and holds back what may be. */
export interface ResponseScan {
  push(bytes: Uint8Array): Scanned;
  /** What was held back, once nothing follows. */
  end(): Uint8Array;
}

/**
 * Starts of a secret that are shorter pass at once: they are less than the prefix that tokens of
 * one service share, and an event stream would stall whenever an event ends in such a letter.
 */
const HOLD_FROM = 4;

/**
 * Guard: what passes holds no secret, in no encoding that the canaries' watch knows, wherever
 * chunks are cut. Holds back at most ten times the longest pattern.
 */
export const createResponseScan = (inbound: CompiledCanaries): ResponseScan => {
  const watch = createCanaryWatch(inbound);
  let held: Uint8Array = new Uint8Array();
  return {
    push(bytes) {
      const [sighting] = watch.push(bytes);
      if (sighting !== undefined) return { kind: "found", id: sighting.canary };
      const all = held.length === 0 ? bytes : Buffer.concat([held, bytes]);
      const kept = Math.min(watch.undecided(HOLD_FROM), all.length);
      // Copied: a view would keep a whole chunk alive.
      held = Uint8Array.from(all.subarray(all.length - kept));
      return { kind: "clear", bytes: all.subarray(0, all.length - kept) };
    },
    end: () => held,
  };
};
