import type { Scenario, Step, Tampering } from "../model.js";
import {
  arm,
  CONFIRMED,
  EXECUTED,
  edit,
  ends,
  execute,
  kill,
  PART_OF_A_REQUEST,
  restart,
  rollback,
  scenario,
} from "./build.js";

const tampered = (how: Tampering, refusedWith: string): readonly Step[] => [
  ...EXECUTED,
  { do: "tamper", how },
  { do: "restart", refusedWith },
];

/** G: processes that are killed and begun again, and what their store is worth afterwards. */
export const PERSISTENCE: readonly Scenario[] = [
  scenario(
    "g1_killed_while_executing",
    "the worker is killed after the send; whoever begins again tries to execute",
    [
      ...CONFIRMED,
      kill("execute", "beforeTransaction", "seal-verified"),
      restart,
      { do: "execute", refusedWith: "CONTRACT_TRANSITION" },
    ],
    ends("RECONCILIATION", [1, 0], "held", "after"),
  ),
  scenario(
    "g2_killed_after_verification",
    "the worker is killed right after VERIFIED is durable; whoever begins again rolls back",
    [...CONFIRMED, kill("execute", "afterCommit", "seal-verified"), restart, rollback],
    ends("ROLLED_BACK", [1, 1], "free", "before"),
  ),
  scenario(
    "g3_killed_while_rolling_back",
    "the worker is killed after the send back; whoever begins again tries to roll back",
    [
      ...EXECUTED,
      kill("rollback", "beforeTransaction", "seal-rolled-back"),
      restart,
      { do: "rollback", refusedWith: "CONTRACT_TRANSITION" },
    ],
    ends("RECONCILIATION", [1, 1], "held", "before"),
  ),
  scenario(
    "g4_uncertain_forward_after_restart",
    "the answer is lost, somebody else begins, looks, and signs",
    [
      ...CONFIRMED,
      arm("mutation", { kind: "drop-response" }),
      execute,
      restart,
      { do: "sign", outcome: "confirmed_applied" },
    ],
    ends("VERIFIED", [1, 0], "free", "after"),
  ),
  scenario(
    "g5_uncertain_rollback_after_restart: applied",
    "the answer to the way back is lost, somebody else begins, looks, and signs",
    [
      ...EXECUTED,
      arm("rollback", { kind: "drop-response" }),
      rollback,
      restart,
      { do: "sign", outcome: "confirmed_rollback_applied" },
    ],
    ends("ROLLED_BACK", [1, 1], "free", "before"),
  ),
  scenario(
    "g5_uncertain_rollback_after_restart: not applied",
    "the request back is reset on its way, somebody else begins, looks, and signs",
    [
      ...EXECUTED,
      arm("rollback", { kind: "reset-upload", afterBytes: PART_OF_A_REQUEST }),
      rollback,
      restart,
      { do: "sign", outcome: "confirmed_rollback_not_applied" },
    ],
    ends("ROLLBACK_FAILED", [1, 1], "held", "after"),
  ),
  scenario(
    "g6_number_kept_across_restart",
    "after a restart the target has another number, and all else is the same",
    [...EXECUTED, restart, edit("renumber"), rollback],
    ends("ROLLBACK_FAILED", [1, 0], "held", "edited"),
  ),
  scenario(
    "g7_sealed_fingerprint_tampered",
    "the fingerprint that was sealed with VERIFIED is another in the file",
    tampered("sealed-fingerprint", "STORE_INTEGRITY"),
    ends("STORE_REFUSED", [1, 0], "unknown", "after"),
  ),
  scenario(
    "g8_protected_snapshot_tampered",
    "what a rollback would bring back is other ciphertext in the file",
    tampered("protected-snapshot", "STORE_INTEGRITY"),
    ends("STORE_REFUSED", [1, 0], "unknown", "after"),
  ),
  scenario(
    "g9_nothing_read_is_kept",
    "the store's files are searched for what was read; after a restart it is rolled back",
    [...EXECUTED, { do: "search" }, restart, rollback, { do: "search" }],
    ends("ROLLED_BACK", [1, 1], "free", "before"),
  ),
  scenario(
    "g10_store_of_another_version: version",
    "the file says that it is of another version",
    tampered("version", "STORE_SCHEMA"),
    ends("STORE_REFUSED", [1, 0], "unknown", "after"),
  ),
  scenario(
    "g10_store_of_another_version: cut",
    "half of the file is missing",
    tampered("cut", "STORE_INTEGRITY"),
    ends("STORE_REFUSED", [1, 0], "unknown", "after"),
  ),
  scenario(
    "g10_store_of_another_version: gone",
    "the file isn't there any more",
    tampered("gone", "STORE_MISSING"),
    ends("STORE_REFUSED", [1, 0], "unknown", "after"),
  ),
];
