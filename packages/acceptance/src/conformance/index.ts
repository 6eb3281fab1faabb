export type { Specimen } from "./bench.js";
export { CONFORMANCE_CHECKS, type ConformanceCheck } from "./checks.js";
export type { ApplianceModel } from "./model.js";
export { type CheckResult, type ConformanceReport, checkConformance } from "./run.js";
