import type { Oracle, ScenarioName } from "./catalogue.js";

/** What is kept of one scenario: states, counts and digests, and no value of the appliance. */
export interface ScenarioReport {
  readonly name: ScenarioName;
  readonly variant: string | null;
  readonly passed: boolean;
  readonly expected: Oracle;
  /** As it was seen, from outside where it can be; null where an unexpected error kept it. */
  readonly observed: Observed | null;
  /** Whether the fault that was armed took; null where none was. */
  readonly faultTook: boolean | null;
  /** Code of an error that the scenario doesn't provide for. */
  readonly unexpected: string | null;
  readonly durationMs: number;
}

export interface Observed extends Omit<Oracle, "appliance"> {
  readonly appliance: Oracle["appliance"] | "other";
}

/** Every part of the oracle, and no part more. */
export const meets = (observed: Observed, oracle: Oracle): boolean =>
  observed.state === oracle.state &&
  observed.forwardSends === oracle.forwardSends &&
  observed.rollbackSends === oracle.rollbackSends &&
  observed.reservation === oracle.reservation &&
  observed.appliance === oracle.appliance;
