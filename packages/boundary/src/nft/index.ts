export { type Applied, applyRuleset } from "./apply.js";
export { type Claim, claimNamespace } from "./claim.js";
export { flushConntrack } from "./conntrack.js";
export { deleteOwned } from "./delete-owned.js";
export { type ChangeableNamespace, permitChanges } from "./host-namespace.js";
export { listAll, TELLS_ALL } from "./list.js";
export {
  type NetworkHandle,
  type NetworkNamespace,
  openNamespace,
  startTimeOf,
  TOOL_DIRECTORIES,
} from "./namespace.js";
export { type ProbedRealisation, probeRealisation } from "./probe.js";
export { type ReadBack, readBack } from "./read-back.js";
export { readSettings, writeSettings } from "./settings.js";
export { missingTools } from "./tool.js";
