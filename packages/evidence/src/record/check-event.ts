import { type EventType, isMeasurementOf } from "./event-type.js";
import { eventTypes } from "./event-types.js";
import type { EvidenceRecord } from "./record.js";

export type EventProblem =
  | { readonly code: "EVENT_UNKNOWN"; readonly message: string }
  | { readonly code: "EVENT_ROLE"; readonly message: string }
  | { readonly code: "EVENT_CLASS"; readonly message: string }
  | { readonly code: "EVENT_MEASUREMENT"; readonly message: string }
  | { readonly code: "EVENT_DECISION"; readonly message: string };

/**
 * Whether a record says what its type may say: right log, right witness class and mechanism,
 * allowed decision, required measurements. A guest's claim in a host's class stops here.
 */
export const eventProblem = (record: EvidenceRecord): EventProblem | null => {
  const type: EventType | undefined = eventTypes.get(record.type);
  if (type === undefined) {
    return { code: "EVENT_UNKNOWN", message: `unknown event type ${record.type}` };
  }
  if (!type.roles.includes(record.role)) {
    return { code: "EVENT_ROLE", message: `${record.type} can't stand in a ${record.role} log` };
  }
  if (record.class !== type.class || record.mechanism !== type.mechanism) {
    return {
      code: "EVENT_CLASS",
      message: `${record.type} claims ${named(record.class, record.mechanism)}, it is ${named(type.class, type.mechanism)}`,
    };
  }
  if (
    !(type.decisions === null
      ? record.decision === null
      : type.decisions.includes(record.decision ?? ""))
  ) {
    return { code: "EVENT_DECISION", message: `${record.type} can't decide ${record.decision}` };
  }
  for (const [name, kind] of Object.entries(type.measurements)) {
    if (!isMeasurementOf(kind, record.measurements[name])) {
      return { code: "EVENT_MEASUREMENT", message: `${record.type} needs ${name}: ${kind}` };
    }
  }
  return null;
};

const named = (witness: string, mechanism: string | null): string =>
  mechanism === null ? witness : `${witness}/${mechanism}`;
