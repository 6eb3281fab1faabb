export { CONTROLLER, type Order } from "./controller.js";
export {
  type Attestation,
  type HelperLimits,
  type Inputs,
  LAUNCHER,
  type Spawned,
  type Usage,
} from "./launcher.js";
export { type ChannelBytes, PORT, PORT_EVENTS } from "./port.js";
