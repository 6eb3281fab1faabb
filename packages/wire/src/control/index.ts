export {
  attachGuestControl,
  attachHostControl,
  type ControlChannel,
  type ControlOptions,
  type Counters,
} from "./attach.js";
export { ControlDecoder, type ControlFrame, type Decoded } from "./decoder.js";
export { ControlEncoder, type EncodedFrame } from "./encoder.js";
export { type Binding, NO_PREVIOUS } from "./frame.js";
export {
  AGENT_ERRORS,
  type AgentErrorCode,
  GUEST_MESSAGES,
  type GuestMessage,
} from "./guest-messages.js";
export { HOST_MESSAGES, type HostMessage } from "./host-messages.js";
export { SIGNALS, type Signal } from "./vocabulary.js";
