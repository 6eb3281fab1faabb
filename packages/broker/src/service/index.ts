export { createDial, SOCKET_BUFFER_BYTES } from "./dial.js";
export type { Broker, BrokerCounters, BrokerOptions, Dial, Dialled, Terminate } from "./model.js";
export {
  type ClosedReceipt,
  type DecisionReceipt,
  type EgressReceipt,
  type RequestReceipt,
  receiptEvent,
  type ShedReceipt,
} from "./receipt.js";
