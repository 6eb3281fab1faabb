export { type DryRunReport, dryRun, requireTestCase } from "./dry-run.js";
export { type PreflightInputs, type PreflightReport, preflight } from "./preflight.js";
export { SURFACES } from "./surfaces.js";
