import type { Fault, Phase } from "@drydock/faults";
import type { Edit, KillPoint, Scenario, Step } from "../model.js";
import type { ScenarioName } from "../names.js";
import type { Oracle } from "../oracle.js";

/** An oracle in one line, in the order of the documentation's table. */
export const ends = (
  state: Oracle["state"],
  [forwardSends, rollbackSends]: readonly [0 | 1, 0 | 1],
  reservation: Oracle["reservation"],
  appliance: Oracle["appliance"],
): Oracle => ({ state, forwardSends, rollbackSends, reservation, appliance });

/** @param full a name, and after a colon the variant. */
export const scenario = (
  full: ScenarioName | `${ScenarioName}: ${string}`,
  what: string,
  steps: readonly Step[],
  oracle: Oracle,
): Scenario => {
  const [name, variant = null] = full.split(": ");
  return { name: name as ScenarioName, variant, what, steps, oracle };
};

export const PREPARED: readonly Step[] = [{ do: "prepare" }];
export const CONFIRMED: readonly Step[] = [...PREPARED, { do: "confirm" }];
export const execute: Step = { do: "execute" };
export const rollback: Step = { do: "rollback" };
export const restart: Step = { do: "restart" };
export const EXECUTED: readonly Step[] = [...CONFIRMED, execute];

export const edit = (what: Edit): Step => ({ do: "edit", edit: what });

/** There are two of the target's name, so that it isn't read as one, and nothing is sent. */
export const ambiguous = (step: "execute" | "rollback"): Step => ({
  do: step,
  because: "READ_FAILED",
  said: "TARGET_AMBIGUOUS",
});

export const arm = (phase: Phase, fault: Fault): Step => ({ do: "arm", phase, fault });

export const kill = (
  during: "execute" | "rollback",
  point: KillPoint["point"],
  write: string,
): Step => ({ do: "kill", during, at: { point, write } });

/** Longer than any client waits. */
export const SILENCE_MS = 60_000;

/** Fewer bytes than the head of any request that changes something. */
export const PART_OF_A_REQUEST = { min: 1, max: 150 };

/** Fewer than the body of any answer. */
export const PART_OF_AN_ANSWER = { min: 1, max: 50 };
