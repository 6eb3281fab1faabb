export { createAnswerGate } from "./answer-gate.js";
export type { Gate, GateStep, Side, TunnelLimits, TunnelSummary } from "./model.js";
export { type Relay, type RelayOptions, startRelay } from "./relay.js";
export { resetStream } from "./reset.js";
export { startTunnel, stepTunnel, type TunnelEvent, type TunnelState } from "./step.js";
