export type { ReconciliationEvidence } from "./evidence.js";
