export { CONTROLLER, type Order } from "./controller.js";
export { EGRESS, EGRESS_EVENTS, EGRESS_SUPPLIES, type EgressSupplies } from "./egress.js";
export {
  type Attestation,
  type HelperLimits,
  type Inputs,
  LAUNCHER,
  type Spawned,
  type Usage,
} from "./launcher.js";
export type { ChannelBytes } from "./log-head.js";
export {
  CANARY_DIRECTORY,
  type OwnEnvironment,
  type PlantedFile,
  TRUST_FILE,
} from "./planted.js";
export { PORT, PORT_EVENTS } from "./port.js";
