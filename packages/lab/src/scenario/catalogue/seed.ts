import type { Scenario } from "../model.js";
import {
  ambiguous,
  arm,
  CONFIRMED,
  EXECUTED,
  edit,
  ends,
  execute,
  kill,
  PART_OF_A_REQUEST,
  PREPARED,
  restart,
  rollback,
  SILENCE_MS,
  scenario,
} from "./build.js";
import { HISTORY } from "./history.js";

/** The seed's list of faults, and before it what happens without any. */
export const SEED_SCENARIOS: readonly Scenario[] = [
  scenario("clean_passthrough", "nothing", EXECUTED, ends("VERIFIED", [1, 0], "free", "after")),
  scenario(
    "clean_passthrough: and back",
    "nothing",
    [...EXECUTED, rollback],
    ends("ROLLED_BACK", [1, 1], "free", "before"),
  ),
  scenario(
    "crash_before_durable_acquisition",
    "the worker is killed before EXECUTING is durable",
    [...CONFIRMED, kill("execute", "beforeCommit", "acquire")],
    ends("PREPARED", [0, 0], "free", "before"),
  ),
  scenario(
    "crash_after_executing_before_send",
    "the worker is killed right after EXECUTING is durable",
    [...CONFIRMED, kill("execute", "afterCommit", "acquire")],
    ends("RECONCILIATION", [0, 0], "held", "before"),
  ),
  scenario(
    "connection_reset_during_upload",
    "some bytes of the request arrive, then the connection is reset",
    [
      ...CONFIRMED,
      arm("mutation", { kind: "reset-upload", afterBytes: PART_OF_A_REQUEST }),
      execute,
    ],
    ends("RECONCILIATION", [1, 0], "held", "before"),
  ),
  scenario(
    "response_dropped_after_commit",
    "the appliance answers 200 and the connection is reset instead",
    [...CONFIRMED, arm("mutation", { kind: "drop-response" }), execute],
    ends("RECONCILIATION", [1, 0], "held", "after"),
  ),
  scenario(
    "timeout_during_response",
    "the appliance answers 200 and nothing comes of it",
    [...CONFIRMED, arm("mutation", { kind: "drop-response", ending: "silence" }), execute],
    ends("RECONCILIATION", [1, 0], "held", "after"),
  ),
  scenario(
    "timeout_during_readback",
    "the read after the change isn't answered",
    [
      ...CONFIRMED,
      arm("readback", { kind: "timeout", direction: "response", ms: SILENCE_MS }),
      execute,
    ],
    ends("RECONCILIATION", [1, 0], "held", "after"),
  ),
  scenario(
    "process_restart_during_executing",
    "the worker is killed after the send, and another begins",
    [...CONFIRMED, kill("execute", "beforeTransaction", "seal-verified"), restart],
    ends("RECONCILIATION", [1, 0], "held", "after"),
  ),
  scenario(
    "process_restart_during_rolling_back",
    "the worker is killed after the send back, and another begins",
    [...EXECUTED, kill("rollback", "beforeTransaction", "seal-rolled-back"), restart],
    ends("RECONCILIATION", [1, 1], "held", "before"),
  ),
  ...(["description", "renumber", "delete"] as const).map((change) =>
    scenario(
      `target_changed_between_prepare_and_execute: ${change}`,
      {
        description: "somebody edits the target",
        renumber: "somebody puts another alias first: the target has another number",
        delete: "somebody removes the target",
      }[change],
      [...CONFIRMED, edit(change), execute],
      ends("FAILED", [0, 0], "free", "edited"),
    ),
  ),
  scenario(
    "target_changed_between_prepare_and_execute: duplicate",
    "somebody writes a second alias of the same name into the configuration's file",
    [...CONFIRMED, edit("duplicate"), ambiguous("execute")],
    ends("FAILED", [0, 0], "free", "edited"),
  ),
  scenario(
    "target_changed_between_prepare_and_execute: neighbour",
    "somebody adds an alias of another name in the same place",
    [...CONFIRMED, edit("neighbour"), execute],
    ends("VERIFIED", [1, 0], "free", "merged"),
  ),
  scenario(
    "conflicting_edit_after_verification",
    "somebody edits the target before it is rolled back",
    [...EXECUTED, edit("description"), rollback],
    ends("ROLLBACK_FAILED", [1, 0], "held", "edited"),
  ),
  scenario(
    "conflicting_edit_after_verification: duplicate",
    "somebody writes a second alias of the same name into the configuration's file before it is rolled back",
    [...EXECUTED, edit("duplicate"), ambiguous("rollback")],
    ends("ROLLBACK_FAILED", [1, 0], "held", "edited"),
  ),
  scenario(
    "rollback_response_lost",
    "the answer to the way back is lost, by a reset",
    [...EXECUTED, arm("rollback", { kind: "drop-response" }), rollback],
    ends("RECONCILIATION", [1, 1], "held", "before"),
  ),
  scenario(
    "corrupt_or_replayed_local_store: corrupt",
    "one byte of the store is another",
    [
      ...CONFIRMED,
      { do: "tamper", how: "state" },
      { do: "restart", refusedWith: "STORE_INTEGRITY" },
    ],
    ends("STORE_REFUSED", [0, 0], "unknown", "before"),
  ),
  scenario(
    "corrupt_or_replayed_local_store: replayed",
    "the store is an older copy of itself",
    [
      ...PREPARED,
      { do: "confirm" },
      { do: "tamper", how: "older-copy" },
      { do: "restart", refusedWith: "STORE_ROLLED_BACK" },
    ],
    ends("STORE_REFUSED", [0, 0], "unknown", "before"),
  ),
  ...HISTORY,
];
