export { type Aim, type ApplianceAim, aimAt, settingsFor } from "./aim.js";
export { type ApplyPorts, applyBoundary, see } from "./apply.js";
export { type Cleared, clearBoundary } from "./clear.js";
export {
  type Desired,
  type DesiredContainer,
  type DesiredNetwork,
  desiredOf,
  type Wanted,
} from "./desired.js";
export { type Expected, expectedOn } from "./expected.js";
export { resolveImages } from "./images.js";
export { heldRulesets, kernelDifferences } from "./kernel-differences.js";
export type { KernelBackend } from "./kernel-port.js";
export { isOwned } from "./labels.js";
export { requireMountSources } from "./mount-sources.js";
export { nextStage } from "./next-stage.js";
export { isProven, type Proof, proveBoundary } from "./prove.js";
export { rulesetIn } from "./ruleset-in.js";
export type { Seen } from "./seen.js";
export { STAGES, type Stage, type StageName } from "./stage.js";
export {
  describeStrayPort,
  mayBeStarting,
  type StrayPort,
  strayPorts,
} from "./stray-ports.js";
