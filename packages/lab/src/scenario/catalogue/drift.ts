import type { Scenario } from "../model.js";
import { CONFIRMED, EXECUTED, edit, ends, execute, PREPARED, rollback, scenario } from "./build.js";

/** As long as a target is left alone after something was done to it. */
const COOLED_MS = 60_000;

/** D: somebody else changes the target, at every moment at which that is told apart. */
export const DRIFT: readonly Scenario[] = [
  scenario(
    "d1_stale_description_before_forward",
    "the description is edited before the contract is confirmed",
    [...PREPARED, edit("description"), { do: "confirm" }, execute],
    ends("FAILED", [0, 0], "free", "edited"),
  ),
  scenario(
    "d2_drift_between_preparation_and_send: members",
    "another field of the target is edited after the confirmation",
    [...CONFIRMED, edit("members"), execute],
    ends("FAILED", [0, 0], "free", "edited"),
  ),
  scenario(
    "d2_drift_between_preparation_and_send: renumbered and prepared anew",
    "the target has another number; a minute later a new contract is made for it under that",
    [...CONFIRMED, edit("renumber"), execute, { do: "wait", ms: COOLED_MS }, ...EXECUTED],
    ends("VERIFIED", [1, 0], "free", "merged"),
  ),
  scenario(
    "d3_description_drift_after_verification",
    "the description is edited after VERIFIED, then rolled back",
    [...EXECUTED, edit("description"), rollback],
    ends("ROLLBACK_FAILED", [1, 0], "held", "edited"),
  ),
  scenario(
    "d4_earlier_state_put_back_by_hand",
    "somebody puts the old description back by hand, then it is rolled back",
    [...EXECUTED, edit("put-back"), rollback],
    ends("ROLLBACK_FAILED", [1, 0], "held", "before"),
  ),
  scenario(
    "d5_rollback_conflict_under_the_same_number",
    "another field is edited, number and description stay, then it is rolled back",
    [...EXECUTED, edit("members"), rollback],
    ends("ROLLBACK_FAILED", [1, 0], "held", "edited"),
  ),
  scenario(
    "d6_edit_between_last_read_and_delivery: forward",
    "another field is edited while the request is on its way",
    [...CONFIRMED, { do: "execute", meanwhile: "members" }],
    ends("RECONCILIATION", [1, 0], "held", "merged"),
  ),
  scenario(
    "d6_edit_between_last_read_and_delivery: back",
    "another field is edited while the request back is on its way",
    [...EXECUTED, { do: "rollback", meanwhile: "members" }],
    ends("ROLLBACK_FAILED", [1, 1], "held", "merged"),
  ),
];
