export type {
  AnchorPoint,
  AuditEvent,
  ContractStore,
  FaultHooks,
  Reservation,
  RollbackAnchor,
} from "./port.js";
