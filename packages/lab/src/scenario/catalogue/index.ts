import type { Scenario } from "../model.js";
import { DELIVERY } from "./delivery.js";
import { DRIFT } from "./drift.js";
import { PERSISTENCE } from "./persistence.js";
import { SEED_SCENARIOS } from "./seed.js";

/** Every case that is rehearsed, in the order in which they are played. */
export const SCENARIOS: readonly Scenario[] = [
  ...SEED_SCENARIOS,
  ...DRIFT,
  ...DELIVERY,
  ...PERSISTENCE,
];
