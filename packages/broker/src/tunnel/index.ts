export { createAnswerGate } from "./answer-gate.js";
export type { Gate, GateStep, TunnelLimits, TunnelSummary } from "./model.js";
export { readBuffersOf } from "./read-buffers.js";
export { type Relay, startRelay } from "./relay.js";
export { resetStream } from "./reset.js";
export { startTunnel, stepTunnel, type TunnelEvent } from "./step.js";
