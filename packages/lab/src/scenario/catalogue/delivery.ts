import type { Scenario, Step } from "../model.js";
import {
  arm,
  CONFIRMED,
  EXECUTED,
  ends,
  execute,
  PART_OF_A_REQUEST,
  PART_OF_AN_ANSWER,
  restart,
  rollback,
  SILENCE_MS,
  scenario,
} from "./build.js";

/** The change is made, and nobody here knows it. */
const LOST: readonly Step[] = [...CONFIRMED, arm("mutation", { kind: "drop-response" }), execute];

const silent = (direction: "request" | "response") =>
  ({ kind: "timeout", direction, ms: SILENCE_MS }) as const;

/** E: nobody is sure what was delivered, and what may be signed about it. */
export const DELIVERY: readonly Scenario[] = [
  scenario(
    "e1_forward_response_dropped",
    "the answer to the change is lost, by a reset",
    LOST,
    ends("RECONCILIATION", [1, 0], "held", "after"),
  ),
  scenario(
    "e2_forward_timeout: response",
    "the request arrives, and no answer comes back",
    [...CONFIRMED, arm("mutation", silent("response")), execute],
    ends("RECONCILIATION", [1, 0], "held", "after"),
  ),
  scenario(
    "e2_forward_timeout: request",
    "the request is held back until the client gives up, and never arrives",
    [...CONFIRMED, arm("mutation", silent("request")), execute],
    ends("RECONCILIATION", [1, 0], "held", "before"),
  ),
  scenario(
    "e3_request_lost_before_delivery: sent",
    "the whole request leaves, and no byte of it arrives",
    [...CONFIRMED, arm("mutation", { kind: "reset-before" }), execute],
    ends("RECONCILIATION", [1, 0], "held", "before"),
  ),
  scenario(
    "e3_request_lost_before_delivery: never connected",
    "there is nobody to connect to, so that nothing leaves",
    [...CONFIRMED, { do: "unplug" }, execute],
    ends("FAILED", [0, 0], "free", "before"),
  ),
  scenario(
    "e4_rollback_response_dropped",
    "the answer to the way back is lost, by a reset",
    [...EXECUTED, arm("rollback", { kind: "drop-response" }), rollback],
    ends("RECONCILIATION", [1, 1], "held", "before"),
  ),
  scenario(
    "e5_rollback_timeout",
    "the request back arrives, and no answer comes",
    [...EXECUTED, arm("rollback", silent("response")), rollback],
    ends("RECONCILIATION", [1, 1], "held", "before"),
  ),
  scenario(
    "e6_connection_lost_within_the_response",
    "some bytes of the answer arrive",
    [
      ...CONFIRMED,
      arm("mutation", { kind: "truncate-response", afterBytes: PART_OF_AN_ANSWER }),
      execute,
    ],
    ends("RECONCILIATION", [1, 0], "held", "after"),
  ),
  scenario(
    "e7_nothing_is_sent_again: asked for",
    "after a lost answer it is executed again, also after a restart, and taken back",
    [
      ...LOST,
      { do: "execute", refusedWith: "CONTRACT_TRANSITION" },
      restart,
      { do: "execute", refusedWith: "CONTRACT_TRANSITION" },
      { do: "rollback", refusedWith: "CONTRACT_TRANSITION" },
    ],
    ends("RECONCILIATION", [1, 0], "held", "after"),
  ),
  scenario(
    "e7_nothing_is_sent_again: delivered twice",
    "the network delivers the one request twice",
    [...CONFIRMED, arm("mutation", { kind: "duplicate" }), execute],
    ends("VERIFIED", [1, 0], "free", "after"),
  ),
  scenario(
    "e8_signed_as_applied",
    "after a lost answer somebody looks and signs that it was done",
    [...LOST, { do: "sign", outcome: "confirmed_applied" }],
    ends("VERIFIED", [1, 0], "free", "after"),
  ),
  scenario(
    "e8_signed_as_applied: and back",
    "and then it is rolled back, over the fingerprint that was signed",
    [...LOST, { do: "sign", outcome: "confirmed_applied" }, rollback],
    ends("ROLLED_BACK", [1, 1], "free", "before"),
  ),
  scenario(
    "e9_signed_as_not_applied",
    "after a reset within the request somebody looks and signs that it wasn't done",
    [
      ...CONFIRMED,
      arm("mutation", { kind: "reset-upload", afterBytes: PART_OF_A_REQUEST }),
      execute,
      { do: "sign", outcome: "confirmed_not_applied" },
    ],
    ends("FAILED", [1, 0], "free", "before"),
  ),
  scenario(
    "e10_unsigned_stays_unresolved",
    "conclusions of a stranger, of another version, of another step, replayed, and of no change",
    [
      ...LOST,
      ...[
        { flaw: "stranger", refusedWith: "EVIDENCE_UNVERIFIED" } as const,
        { flaw: "stale", refusedWith: "EVIDENCE_MISMATCH" } as const,
        { flaw: "replayed", refusedWith: "EVIDENCE_REPLAYED" } as const,
        { flaw: "unchanged", refusedWith: "CONTRACT_UNCHANGED" } as const,
      ].map((wrong) => ({ do: "sign", outcome: "confirmed_applied", ...wrong }) as const),
      { do: "sign", outcome: "confirmed_rollback_applied", refusedWith: "CONTRACT_OUTCOME" },
    ],
    ends("RECONCILIATION", [1, 0], "held", "after"),
  ),
];
