export { openAnchorFile } from "./anchor-file.js";
export { openContractStore } from "./open.js";
export type { StoreOptions } from "./open-parts.js";
export type {
  AnchorPoint,
  AuditEvent,
  ContractStore,
  FaultHooks,
  Reservation,
  RollbackAnchor,
} from "./port.js";
