import type { JsonObject, JsonValue } from "../json/value.js";
import { isJsonObject } from "../json/value.js";
import { digest, id, instant } from "../schema/common.js";
import { ShapeError } from "../schema/error.js";
import {
  integer,
  literal,
  nullable,
  object,
  oneOf,
  type Reader,
  type Shape,
  typeError,
} from "../schema/reader.js";
import { MECHANISMS, RETENTION, ROLES, WITNESS_CLASSES } from "./vocabulary.js";

export const RECORD_SCHEMA = "drydock.record/v1";

/** One line of a log. Long enough for a device list, too short for a request body. */
export const MAX_RECORD_BYTES = 32 * 1024;
const MAX_MEASUREMENT_TEXT = 1024;
const MAX_MEASUREMENT_ITEMS = 512;
const MAX_MEASUREMENT_DEPTH = 4;

/** Digests, sizes, classes, timings and outcomes; never a body, a credential or a raw payload. */
export type Measurements = JsonObject;

const MEASUREMENT_KEY = /^[a-zA-Z][a-zA-Z0-9_]{0,63}$/;

const checkMeasurement = (value: JsonValue, path: string, depth: number): void => {
  if (depth > MAX_MEASUREMENT_DEPTH) throw new ShapeError("SHAPE_RANGE", path, "nested too deep");
  if (typeof value === "string" && value.length > MAX_MEASUREMENT_TEXT) {
    throw new ShapeError("SHAPE_RANGE", path, `longer than ${MAX_MEASUREMENT_TEXT} units`);
  }
  if (Array.isArray(value)) {
    if (value.length > MAX_MEASUREMENT_ITEMS) {
      throw new ShapeError("SHAPE_COUNT", path, `more than ${MAX_MEASUREMENT_ITEMS} items`);
    }
    value.forEach((item: JsonValue, index) => {
      checkMeasurement(item, `${path}[${index}]`, depth + 1);
    });
  } else if (isJsonObject(value)) {
    for (const [key, member] of Object.entries(value)) {
      if (!MEASUREMENT_KEY.test(key)) {
        throw new ShapeError("SHAPE_PATTERN", path, "a measurement key is [a-zA-Z][a-zA-Z0-9_]*");
      }
      checkMeasurement(member, `${path}.${key}`, depth + 1);
    }
  }
};

const measurements: Reader<Measurements> = {
  schema: {
    type: "object",
    propertyNames: { pattern: MEASUREMENT_KEY.source },
    description: `Values nest at most ${MAX_MEASUREMENT_DEPTH} deep; text has at most ${MAX_MEASUREMENT_TEXT} units.`,
  },
  read: (value, path) => {
    if (!isJsonObject(value)) throw typeError(path, "an object", value);
    checkMeasurement(value, path, 0);
    return value;
  },
};

export const recordReader = object({
  /** Who acted, e.g. `controller`, `port`, `operator:alice`. */
  actor: id,
  capability: nullable(digest),
  class: oneOf(WITNESS_CLASSES),
  clockSource: id,
  decision: nullable(id),
  event: id,
  idempotencyKey: nullable(id),
  measurements,
  mechanism: nullable(oneOf(MECHANISMS)),
  /** Microseconds of the clock source; nanoseconds since boot would leave safe integers after 104 days. */
  monotonicUs: integer(0),
  policy: nullable(digest),
  /** SHA-256 of the previous line without its LF; of nothing for record 0: see `FIRST_PREV`. */
  prev: digest,
  retention: oneOf(RETENTION),
  role: oneOf(ROLES),
  run: id,
  schema: literal(RECORD_SCHEMA),
  sequence: integer(0),
  subject: nullable(digest),
  type: id,
  wall: instant,
});

export type EvidenceRecord = Shape<typeof recordReader>;
/** JSON Schema 2020-12 of one log line. */
export const recordSchema = recordReader.schema;

/** `prev` of record 0. */
export const FIRST_PREV = `sha256:${"0".repeat(64)}`;

/** @throws ShapeError */
export const readRecord = (value: JsonValue): EvidenceRecord => recordReader.read(value, "record");
