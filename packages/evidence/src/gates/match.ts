import { isJsonObject, type JsonValue } from "../json/value.js";
import type { EvidenceRecord } from "../record/record.js";
import type { FieldTest, RecordPattern, Scalar } from "./gate.js";

/** `unknown`: the test can't be decided, because the value is missing or of another kind. */
export type Match = "yes" | "no" | "unknown";

/**
 * Whether a record is what a pattern asks for. Role, type, class and mechanism have to be equal,
 * so a guest's or a VMM's word never stands in for the kernel's.
 */
export const matchRecord = (pattern: RecordPattern, record: EvidenceRecord): Match => {
  if (
    record.role !== pattern.role ||
    record.type !== pattern.type ||
    record.class !== pattern.class ||
    (pattern.mechanism !== null && record.mechanism !== pattern.mechanism)
  ) {
    return "no";
  }
  const matches = pattern.where.map((test) => matchField(test, record));
  if (matches.includes("no")) return "no";
  return matches.includes("unknown") ? "unknown" : "yes";
};

const matchField = (test: FieldTest, record: EvidenceRecord): Match => {
  const found = valueAt(test.path, record);
  const { op, value } = test;
  switch (op) {
    case "present":
      return answer(found !== undefined && found !== null);
    case "absent":
      return answer(found === undefined || found === null);
    case "eq":
      return found === undefined ? "unknown" : answer(found === value);
    case "ne":
      return found === undefined ? "unknown" : answer(found !== value);
    case "in":
      return found === undefined || !Array.isArray(value)
        ? "unknown"
        : answer(value.some((item: Scalar) => item === found));
    case "lt":
      return compare(found, value, (left, right) => left < right);
    case "le":
      return compare(found, value, (left, right) => left <= right);
    case "gt":
      return compare(found, value, (left, right) => left > right);
    case "ge":
      return compare(found, value, (left, right) => left >= right);
  }
};

const answer = (yes: boolean): Match => (yes ? "yes" : "no");

const compare = (
  left: JsonValue | undefined,
  right: unknown,
  holds: (left: number, right: number) => boolean,
): Match =>
  typeof left === "number" && typeof right === "number" ? answer(holds(left, right)) : "unknown";

const valueAt = (path: string, record: EvidenceRecord): JsonValue | undefined => {
  const [field, ...rest] = path.split(".");
  let value: JsonValue | undefined = fieldOf(record, field);
  for (const key of rest) {
    value =
      value !== undefined && isJsonObject(value) && Object.hasOwn(value, key)
        ? value[key]
        : undefined;
  }
  return value;
};

const fieldOf = (record: EvidenceRecord, field: string | undefined): JsonValue | undefined => {
  switch (field) {
    case "decision":
      return record.decision;
    case "subject":
      return record.subject;
    case "policy":
      return record.policy;
    case "capability":
      return record.capability;
    case "actor":
      return record.actor;
    case "measurements":
      return record.measurements;
    default:
      return undefined;
  }
};
