export * from "./bind/index.js";
export * from "./check/index.js";
export { BOUNDARY_CODES, type BoundaryCode } from "./codes.js";
export * from "./compile/index.js";
export * from "./engine/index.js";
export * from "./gate/index.js";
export * from "./holders/index.js";
export * from "./kernel/index.js";
export {
  type Boundary,
  describeGround,
  describePlace,
  type End,
  type Explanation,
  expectedAction,
  explain,
  type Files,
  judgePlatform,
  judgeScenario,
  type Opinion,
  type Place,
  placesNamed,
  placesOf,
  predictTruthTable,
  printExplanation,
  type Service,
  type TruthCell,
} from "./meaning/index.js";
export * from "./model/index.js";
export * from "./nft/index.js";
export {
  type GuestSources,
  type HostRequest,
  observeForwards,
  observeGuest,
  observeHost,
  unobserved,
  WORKBENCH_LABEL,
  workbenchVersionOf,
} from "./observe/index.js";
export * from "./plan/index.js";
export * from "./platform/index.js";
export * from "./policy/index.js";
export { type ProbeOptions, runEgressProbes, runProbes } from "./probe/index.js";
export * from "./readback/index.js";
export * from "./realise/index.js";
export * from "./receipt/index.js";
export * from "./release/index.js";
export * from "./ruleset/index.js";
export * from "./topology/index.js";
export {
  CheckThread,
  raisePriority,
  ruleEvents,
  type WatchEvent,
  type WatchPorts,
  type WatchRequest,
  watchBoundary,
} from "./watch/index.js";
