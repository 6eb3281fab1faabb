import type { Fault, Phase } from "@drydock/faults";
import type { ScenarioName } from "./names.js";
import type { Oracle } from "./oracle.js";

/** What is done to a cycle, once. */
export type Injection =
  | { readonly kind: "none" }
  /** Whoever works on the contract is gone at this point of this write of the store. */
  | {
      readonly kind: "crash";
      readonly at: "beforeCommit" | "afterCommit" | "beforeTransaction";
      readonly write: string;
    }
  | { readonly kind: "network"; readonly phase: Phase; readonly fault: Fault }
  /** Somebody changes the target at the console. */
  | { readonly kind: "edit"; readonly before: "execute" | "rollback" }
  /** One byte of the store's file is another, or the file is an older copy of itself. */
  | { readonly kind: "store"; readonly how: "flip" | "replay" };

export interface Scenario {
  readonly name: ScenarioName;
  /** Where several cases belong to one name. */
  readonly variant: string | null;
  readonly injection: Injection;
  /** How far the cycle is taken when nothing keeps it. */
  readonly until: "execute" | "rollback";
  readonly oracle: Oracle;
}

const scenario = (
  name: ScenarioName,
  injection: Injection,
  oracle: Oracle,
  more: Partial<Pick<Scenario, "until" | "variant">> = {},
): Scenario => ({ name, variant: null, injection, until: "execute", oracle, ...more });

/** Nobody knows what the appliance did: the target stays locked until somebody signs. */
const unknown = (sends: 0 | 1, appliance: Oracle["appliance"]): Oracle => ({
  ...{ state: "RECONCILIATION", forwardSends: sends, rollbackSends: 0 },
  ...{ reservation: "held", appliance },
});

const SILENCE_MS = 60_000;

export const SCENARIOS: readonly Scenario[] = [
  scenario(
    "clean_passthrough",
    { kind: "none" },
    {
      ...{ state: "VERIFIED", forwardSends: 1, rollbackSends: 0 },
      ...{ reservation: "free", appliance: "after" },
    },
  ),
  scenario(
    "clean_passthrough",
    { kind: "none" },
    {
      ...{ state: "ROLLED_BACK", forwardSends: 1, rollbackSends: 1 },
      ...{ reservation: "free", appliance: "before" },
    },
    { variant: "and back", until: "rollback" },
  ),
  scenario(
    "crash_before_durable_acquisition",
    { kind: "crash", at: "beforeCommit", write: "acquire" },
    {
      ...{ state: "PREPARED", forwardSends: 0, rollbackSends: 0 },
      ...{ reservation: "free", appliance: "before" },
    },
  ),
  scenario(
    "crash_after_executing_before_send",
    { kind: "crash", at: "afterCommit", write: "acquire" },
    unknown(0, "before"),
  ),
  scenario(
    "connection_reset_during_upload",
    { kind: "network", phase: "mutation", fault: { kind: "reset-upload", afterBytes: 40 } },
    unknown(1, "before"),
  ),
  scenario(
    "response_dropped_after_commit",
    { kind: "network", phase: "mutation", fault: { kind: "drop-response" } },
    unknown(1, "after"),
  ),
  scenario(
    "timeout_during_response",
    {
      kind: "network",
      phase: "mutation",
      fault: { kind: "drop-response", ending: "silence" },
    },
    unknown(1, "after"),
  ),
  scenario(
    "timeout_during_readback",
    {
      kind: "network",
      phase: "readback",
      fault: { kind: "timeout", direction: "response", ms: SILENCE_MS },
    },
    unknown(1, "after"),
  ),
  scenario(
    "process_restart_during_executing",
    { kind: "crash", at: "beforeTransaction", write: "seal-verified" },
    unknown(1, "after"),
  ),
  scenario(
    "process_restart_during_rolling_back",
    { kind: "crash", at: "beforeTransaction", write: "seal-rolled-back" },
    { ...unknown(1, "before"), rollbackSends: 1 },
    { until: "rollback" },
  ),
  scenario(
    "target_changed_between_prepare_and_execute",
    { kind: "edit", before: "execute" },
    {
      ...{ state: "FAILED", forwardSends: 0, rollbackSends: 0 },
      ...{ reservation: "free", appliance: "edited" },
    },
  ),
  scenario(
    "conflicting_edit_after_verification",
    { kind: "edit", before: "rollback" },
    {
      ...{ state: "ROLLBACK_FAILED", forwardSends: 1, rollbackSends: 0 },
      ...{ reservation: "held", appliance: "edited" },
    },
    { until: "rollback" },
  ),
  scenario(
    "rollback_response_lost",
    { kind: "network", phase: "rollback", fault: { kind: "drop-response" } },
    { ...unknown(1, "before"), rollbackSends: 1 },
    { until: "rollback" },
  ),
  ...(["flip", "replay"] as const).map((how) =>
    scenario(
      "corrupt_or_replayed_local_store",
      { kind: "store", how },
      {
        ...{ state: "STORE_REFUSED", forwardSends: 0, rollbackSends: 0 },
        ...{ reservation: "unknown", appliance: "before" },
      },
      { variant: how },
    ),
  ),
];
