import { DrydockError, quote } from "@drydock/evidence";
import type { HaltJudgement, HaltStatus } from "@drydock/ledger";
import { VERBS, type Verb } from "./verbs.js";

/**
 * Guard: the first thing a verb does. A dynamic verb under halt goes no further.
 *
 * @throws DrydockError HALTED
 */
export const refuseUnderHalt = (verb: Verb, status: HaltStatus): void => {
  if (VERBS[verb] === "static" || !status.halted) return;
  throw new DrydockError("HALTED", `drydock ${verb}: a halt is on: ${whyHalted(status)}`, {
    fix: "See: drydock halt status. A key trusted for `halt` lifts it: drydock halt off --reason WHY",
  });
};

/** What each halted place says, in one line. */
export const whyHalted = (status: HaltStatus): string =>
  status.places
    .filter(({ judgement }) => judgement.kind !== "clear")
    .map(({ place, judgement }) => `${place.path}: ${reasonOf(judgement)}`)
    .join("; ");

const reasonOf = (judgement: HaltJudgement): string => {
  switch (judgement.kind) {
    case "clear":
      return "no halt";
    case "halted":
      return `${quote(judgement.record.reason)} since ${judgement.record.at}`;
    case "malformed":
      return judgement.why;
  }
};
