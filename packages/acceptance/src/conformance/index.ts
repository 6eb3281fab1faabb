export { CONFORMANCE_CHECKS, type ConformanceCheck, FILE_CHECKS } from "./checks.js";
export type { ApplianceModel } from "./model.js";
export { type AnyCheck, conforms, type FileResult, parseReport } from "./protocol.js";
export { type CheckResult, type ConformanceReport, checkConformance } from "./run.js";
export type { Specimen } from "./specimen.js";
