import type { JsonValue } from "@drydock/evidence";
import {
  type Appliance,
  applied,
  FIREWALL_SUBSYSTEMS,
  type Subsystem,
} from "../configuration/index.js";
import type { Surroundings } from "../field/index.js";
import type { Admitted } from "../request/index.js";

/** What has to be done outside of the rules. */
export type Effect =
  /** Keep the configuration, before the answer. */
  | { readonly kind: "persist" }
  /** Load the rules anew, after the answer; then tell the rules that it is done. */
  | { readonly kind: "reload" };

/** A request that was let in, and what it is answered by. */
export interface Turn extends Admitted {
  readonly appliance: Appliance;
  readonly seconds: number;
  readonly entropy: Uint8Array;
}

export interface Outcome {
  readonly appliance: Appliance;
  readonly data: JsonValue;
  readonly effects: readonly Effect[];
}

export type Handler = (turn: Turn) => Outcome;

export const unchanged = ({ appliance }: Turn, data: JsonValue): Outcome => ({
  appliance,
  data,
  effects: [],
});

export const surroundingsOf = (turn: Turn): Omit<Surroundings, "object" | "initial"> => ({
  configuration: turn.appliance.configuration,
  client: turn.client,
  seconds: turn.seconds,
  entropy: turn.entropy,
});

/** `apply` counts only when it is true; every other value, also "true" and 1, is ignored. */
export const wantsApply = ({ data }: Turn): boolean =>
  "apply" in data && Object.hasOwn(data, "apply") && data["apply"] === true;

/** Applies a change at once: asynchronously unless the request says otherwise. */
export const applyNow = (
  turn: Turn,
  appliance: Appliance,
  subsystem: Subsystem | null,
): { readonly appliance: Appliance; readonly effects: readonly Effect[] } => {
  if (subsystem === null) return { appliance, effects: [] };
  return turn.controls.async
    ? { appliance: applied(appliance, [subsystem]), effects: [{ kind: "reload" }] }
    : { appliance: applied(appliance, [subsystem, ...FIREWALL_SUBSYSTEMS]), effects: [] };
};
