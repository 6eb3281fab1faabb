export { type EventProblem, eventProblem } from "./check-event.js";
export { type EventType, isMeasurementOf, type MeasurementKind } from "./event-type.js";
export { EVENT_TYPES, type EventTypeName, eventTypes } from "./event-types.js";
export {
  type EvidenceRecord,
  FIRST_PREV,
  MAX_RECORD_BYTES,
  type Measurements,
  RECORD_SCHEMA,
  readRecord,
  recordSchema,
} from "./record.js";
export {
  MECHANISMS,
  type Mechanism,
  RETENTION,
  type Retention,
  ROLES,
  type Role,
  WITNESS_CLASSES,
  type WitnessClass,
} from "./vocabulary.js";
