import type { Scenario, Step } from "../model.js";
import {
  arm,
  CONFIRMED,
  EXECUTED,
  edit,
  ends,
  execute,
  PART_OF_AN_ANSWER,
  rollback,
  scenario,
} from "./build.js";

const blocked: Step = { do: "execute", because: "HISTORY_UNAVAILABLE" };
/** Nothing of it is acquired yet: it stays VERIFIED, and is asked for again. */
const refused: Step = { do: "rollback", refusedWith: "EXECUTOR_HISTORY_UNAVAILABLE" };

/**
 * The appliance's own history, which the seed names beside the store. It is the first that is read
 * of either way. After each case that is blocked, the same with one thing better.
 */
export const HISTORY: readonly Scenario[] = [
  scenario(
    "corrupt_or_replayed_local_store: history unavailable",
    "the read of the appliance's own history is reset",
    [...CONFIRMED, arm("pre-send-read", { kind: "reset-before" }), blocked],
    ends("FAILED", [0, 0], "free", "before"),
  ),
  scenario(
    "corrupt_or_replayed_local_store: history late",
    "the answer with the history is late, and whole",
    [...CONFIRMED, arm("pre-send-read", { kind: "delay", direction: "response", ms: 50 }), execute],
    ends("VERIFIED", [1, 0], "free", "after"),
  ),
  scenario(
    "corrupt_or_replayed_local_store: history corrupt",
    "the newest revision in the appliance's own history has no bytes",
    [...CONFIRMED, { do: "damage-history" }, blocked],
    ends("FAILED", [0, 0], "free", "before"),
  ),
  scenario(
    "corrupt_or_replayed_local_store: history begun anew",
    "and then somebody saves the configuration, so that there is a newer revision",
    [...CONFIRMED, { do: "damage-history" }, edit("put-back"), execute],
    ends("VERIFIED", [1, 0], "free", "after"),
  ),
  scenario(
    "corrupt_or_replayed_local_store: history unavailable on the way back",
    "some bytes of the answer with the history arrive, and the way back is refused; it is asked for again",
    [
      ...EXECUTED,
      arm("pre-rollback-read", { kind: "truncate-response", afterBytes: PART_OF_AN_ANSWER }),
      refused,
      rollback,
    ],
    ends("ROLLED_BACK", [1, 1], "free", "before"),
  ),
];
