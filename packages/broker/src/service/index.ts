export { createBroker, MAX_LOOKUPS } from "./broker.js";
export { connectionsFor, type DescriptorBudget } from "./connections-for.js";
export { createDial, SOCKET_BUFFER_BYTES } from "./dial.js";
export { type Listener, type ListenOptions, listen, REFUSED_AT_ONCE } from "./listen.js";
export type { Broker, BrokerCounters, BrokerOptions, Dial, Dialled, Terminate } from "./model.js";
export {
  type ClosedReceipt,
  type DecisionReceipt,
  type EgressReceipt,
  type RequestReceipt,
  receiptEvent,
  type ShedReceipt,
} from "./receipt.js";
