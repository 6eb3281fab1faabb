import { isJsonObject, type JsonValue } from "../json/value.js";
import { MECHANISMS, ROLES, WITNESS_CLASSES } from "../record/vocabulary.js";
import { id } from "../schema/common.js";
import { ShapeError } from "../schema/error.js";
import {
  array,
  integer,
  nullable,
  object,
  oneOf,
  pattern,
  type Reader,
  rule,
  type Shape,
  text,
  typeError,
} from "../schema/reader.js";

/** Worst first: a run's verdict is the worst that any gate gives. */
export const VERDICTS = ["INVALID", "FAIL", "UNCERTAIN", "INCOMPLETE", "PASS"] as const;
export type Verdict = (typeof VERDICTS)[number];

/** What a gate may say when it isn't satisfied. */
const OUTCOMES = ["INVALID", "FAIL", "UNCERTAIN", "INCOMPLETE"] as const;
export type Outcome = (typeof OUTCOMES)[number];

export const MAX_GATES = 256;
const MAX_PATTERNS = 32;
const MAX_TESTS = 16;
const MAX_OPERAND_TEXT = 256;
const MAX_OPERAND_ITEMS = 64;

const OPERATORS = ["eq", "ne", "lt", "le", "gt", "ge", "in", "present", "absent"] as const;

export type Scalar = null | boolean | number | string;
export type Operand = Scalar | readonly Scalar[];

const isScalar = (value: JsonValue): value is Scalar =>
  !Array.isArray(value) &&
  !isJsonObject(value) &&
  (typeof value !== "string" || value.length <= MAX_OPERAND_TEXT);

const operand: Reader<Operand> = {
  schema: {
    anyOf: [
      { type: ["null", "boolean", "integer"] },
      { type: "string", maxLength: MAX_OPERAND_TEXT },
      {
        type: "array",
        maxItems: MAX_OPERAND_ITEMS,
        items: {
          anyOf: [
            { type: ["null", "boolean", "integer"] },
            { type: "string", maxLength: MAX_OPERAND_TEXT },
          ],
        },
      },
    ],
  },
  read: (value, path) => {
    if (isScalar(value)) return value;
    if (!Array.isArray(value)) throw typeError(path, "a short scalar or a list of them", value);
    if (value.length > MAX_OPERAND_ITEMS) throw new ShapeError("SHAPE_COUNT", path, "too long");
    return value.map((item: JsonValue, index) => {
      if (!isScalar(item)) throw typeError(`${path}[${index}]`, "a short scalar", item);
      return item;
    });
  },
};

const fieldTest = rule(
  object({
    op: oneOf(OPERATORS),
    /** `decision`, `subject`, `policy`, `capability`, `actor`, or `measurements.a.b`. */
    path: pattern(
      /^(decision|subject|policy|capability|actor|measurements(\.[a-zA-Z][a-zA-Z0-9_]{0,63}){1,4})$/,
      "a path in a record",
    ),
    value: operand,
  }),
  ({ op, value }) => {
    switch (op) {
      case "eq":
      case "ne":
        return Array.isArray(value) ? `${op} takes a scalar` : null;
      case "lt":
      case "le":
      case "gt":
      case "ge":
        return typeof value === "number" ? null : `${op} takes an integer`;
      case "in":
        return Array.isArray(value) ? null : "in takes a list";
      case "present":
      case "absent":
        return value === null ? null : `${op} takes null`;
    }
  },
);
export type FieldTest = Shape<typeof fieldTest>;

const recordPattern = {
  role: oneOf(ROLES),
  type: id,
  /** A record of another class is another fact: it never counts here. */
  class: oneOf(WITNESS_CLASSES),
  mechanism: nullable(oneOf(MECHANISMS)),
  where: array(fieldTest, MAX_TESTS),
};

const requirement = rule(
  object({
    ...recordPattern,
    min: integer(1),
    max: nullable(integer(1)),
    /** The verdict when fewer or more records match. */
    outcome: oneOf(OUTCOMES),
  }),
  ({ min, max }) => (max !== null && max < min ? "max is below min" : null),
);
export type Requirement = Shape<typeof requirement>;

const prohibition = object({
  ...recordPattern,
  /** The verdict when a record matches. */
  outcome: oneOf(OUTCOMES),
});
export type Prohibition = Shape<typeof prohibition>;

export type RecordPattern = Requirement | Prohibition;

/** A durable attack or claim id with the observation that it asks for, as data. */
export const gateReader = rule(
  object({
    id,
    title: text(200, 1),
    require: array(requirement, MAX_PATTERNS),
    forbid: array(prohibition, MAX_PATTERNS),
  }),
  // A gate that asks for nothing would pass on an empty log.
  (gate) => (gate.require.length === 0 ? "a gate needs at least one requirement" : null),
);
export type Gate = Shape<typeof gateReader>;

export const gatesReader: Reader<readonly Gate[]> = rule(
  array(gateReader, MAX_GATES, 1),
  (gates) =>
    new Set(gates.map((gate) => gate.id)).size === gates.length ? null : "gate ids must differ",
);
