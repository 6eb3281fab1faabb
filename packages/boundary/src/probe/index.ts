export { type EgressCell, predictEgress } from "./egress.js";
export { ProbingPlace } from "./place.js";
export type { Endpoint, Outcome } from "./protocol.js";
export { type ProbeOptions, type ProbeReport, runProbes } from "./run.js";
export { runEgressProbes } from "./run-egress.js";
export { ranked, SAMPLE_SIZE } from "./sample.js";
