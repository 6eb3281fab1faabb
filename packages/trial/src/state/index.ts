export { MAX_LIVE_BODIES, type Machine, machineCeiling, runDemand } from "./capacity.js";
export { requireHome } from "./check-home.js";
export { requireSpace } from "./check-space.js";
export {
  haltPlaces,
  MACHINE_HALT,
  type StateDirectories,
  stateDirectories,
} from "./directories.js";
export { refuseUnderHalt, whyHalted } from "./halt-guard.js";
export { VERBS, type Verb, type VerbKind } from "./verbs.js";
