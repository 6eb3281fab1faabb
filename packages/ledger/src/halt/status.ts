import type { HaltReading } from "../rules/halt-gate.js";
import { type HaltJudgement, type HaltSignatureCheck, judgeHalt } from "./judge.js";
import { type HaltPlace, listHaltPlace } from "./place.js";

export interface HaltStatus extends HaltReading {
  readonly places: readonly { readonly place: HaltPlace; readonly judgement: HaltJudgement }[];
}

/**
 * Looks at every place. A halt at one of them is a halt. The generation is the sum over the
 * places: each of them only grows, so the sum changes whenever one of them does.
 */
export const haltStatus = (places: readonly HaltPlace[], check: HaltSignatureCheck): HaltStatus => {
  const judged = places.map((place) => ({
    place,
    judgement: judgeHalt(listHaltPlace(place), check),
  }));
  return {
    halted: judged.some(({ judgement }) => judgement.kind !== "clear"),
    generation: judged.reduce(
      (sum, { judgement }) => sum + (judgement.kind === "malformed" ? 0 : judgement.generation),
      0,
    ),
    places: judged,
  };
};
