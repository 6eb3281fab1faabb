import type { RunVerdict } from "@drydock/ledger";
import type { Settlement } from "./effect.js";
import type { Phase } from "./phase.js";

/** Why the run went into its end. Decided once; what happens afterwards is a doubt, not an ending. */
export type Ending =
  | { readonly kind: "completed" }
  | { readonly kind: "failed"; readonly phase: Phase; readonly code: string }
  | { readonly kind: "halted"; readonly phase: Phase }
  | { readonly kind: "aborted"; readonly phase: Phase; readonly code: string }
  | { readonly kind: "deadline"; readonly phase: Phase; readonly which: "wall" | "idle" | "phase" }
  | { readonly kind: "guestLost"; readonly phase: Phase; readonly code: string }
  | { readonly kind: "violation"; readonly phase: Phase; readonly code: string };

/** The best that the evidence may be read as. */
export type VerdictCeiling = "PASS" | "INCOMPLETE" | "UNCERTAIN";

export const verdictCeiling = (
  ending: Ending,
  settlement: Settlement,
  doubts: readonly string[],
): VerdictCeiling => {
  if (settlement === "hold") return "UNCERTAIN";
  return ending.kind === "completed" && doubts.length === 0 ? "PASS" : "INCOMPLETE";
};

/** Guard: no PASS for a run whose end isn't known. Any other verdict is bad enough already. */
export const capVerdict = (derived: RunVerdict, ceiling: VerdictCeiling): RunVerdict =>
  derived === "PASS" ? ceiling : derived;

export const endingCode = (ending: Ending): string => {
  switch (ending.kind) {
    case "completed":
      return "COMPLETED";
    case "halted":
      return "HALTED";
    case "deadline":
      return `DEADLINE_${ending.which.toUpperCase()}`;
    case "failed":
    case "aborted":
    case "guestLost":
    case "violation":
      return ending.code;
  }
};
