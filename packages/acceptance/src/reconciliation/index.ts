export { acceptReconciliation } from "./accept.js";
export type { ReconciliationEvidence } from "./evidence.js";
export { reconciliationMessage } from "./message.js";
