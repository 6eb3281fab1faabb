export {
  BINDING_SCHEMA,
  bindingBytes,
  bindingJsonSchema,
  type LaunchBinding,
  mappingsOf,
  parseBinding,
} from "./binding.js";
export { type Coarse, GATE_FINDINGS, type GateFinding, type GateFindingCode } from "./finding.js";
export { trustedHostObservation } from "./host.js";
export {
  HOST_OBSERVATION_SCHEMA,
  type HostListener,
  type HostObservation,
  isHostObservationSigned,
  readHostObservation,
  type SignedHostObservation,
  signHostObservation,
} from "./host-observation.js";
export { INVENTORY_SCHEMA, type Inventory, inventoryOf, readinessFor } from "./inventory.js";
export type {
  AuthorityHolder,
  EgressTrial,
  Enforcement,
  GuestObservation,
  ProbeResult,
} from "./observation.js";
export { driftFindings, qualify } from "./qualify.js";
export type { GateBinding, GatePhase, GateRequest } from "./request.js";
