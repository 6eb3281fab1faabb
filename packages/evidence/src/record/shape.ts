import { canonicalise } from "../json/canonical.js";
import { isJsonObject, type JsonValue } from "../json/value.js";
import { DIGEST_PATTERN } from "../schema/common.js";
import type { MeasurementKind } from "./event-type.js";
import { eventTypes } from "./event-types.js";
import { type EvidenceRecord, FIRST_PREV } from "./record.js";

/** What a log's chain and class checks need of a record. */
export type RecordHead = Pick<
  EvidenceRecord,
  "class" | "prev" | "role" | "run" | "sequence" | "type" | "wall"
>;

const DIGEST = "sha256:[0-9a-f]{64}";
const COUNT = "(?:0|[1-9][0-9]{0,14})";
const INSTANT =
  "[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\\.[0-9]{3}Z";

/** How the parts of a line are written: as patterns, or as an example of them. */
interface Spelling {
  readonly id: string;
  readonly text: string;
  readonly digest: string;
  readonly count: string;
  readonly negative: string;
  readonly boolean: string;
  readonly prev: string;
  readonly sequence: string;
  readonly wall: string;
  /** What is the same in each line. */
  readonly fixed: (text: string) => string;
}

/**
 * Each within what `readRecord` allows, ASCII and free of escapes: so canonical as it stands. At
 * most 15 digits are a safe integer without looking.
 */
const EXACT: Spelling = {
  id: "[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}",
  text: "[ !#-\\[\\]-\\x7f]{0,1024}",
  digest: DIGEST,
  count: COUNT,
  negative: "-[1-9][0-9]{0,14}",
  boolean: "(?:true|false)",
  prev: `(${DIGEST})`,
  sequence: `(${COUNT})`,
  wall: `(${INSTANT})`,
  fixed: (text) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"),
};

/** Twice as fast, and as good for a line that is too short for an id or a text to be too long. */
const UNBOUNDED: Spelling = {
  ...EXACT,
  id: "[A-Za-z0-9][A-Za-z0-9_.:-]*",
  text: "[ !#-\\[\\]-\\x7f]*",
};
const MAX_ID = 128;

/** The shortest that there is of each. */
const SHORTEST: Spelling = {
  id: "a",
  text: "",
  digest: FIRST_PREV,
  count: "0",
  negative: "-1",
  boolean: "true",
  prev: FIRST_PREV,
  sequence: "0",
  wall: "2026-11-30T10:00:00.000Z",
  fixed: (text) => text,
};

/**
 * The form of a record: itself, with its numbers, texts, digests and times left open. Whatever
 * matches differs from a record that was read and accepted in nothing else, and in these only
 * within their kind. So it would be read and accepted too.
 */
export class RecordShape {
  readonly #exact: RegExp;
  readonly #unbounded: RegExp;
  readonly #safeLength: number;
  readonly #record: EvidenceRecord;

  /** @param record one that `readRecordLine` and `eventProblem` accept. */
  constructor(record: EvidenceRecord) {
    this.#exact = new RegExp(`^${spell(record, EXACT)}$`);
    this.#unbounded = new RegExp(`^${spell(record, UNBOUNDED)}$`);
    this.#safeLength = spell(record, SHORTEST).length - SHORTEST.id.length + MAX_ID;
    this.#record = record;
  }

  /**
   * @param line one character a byte.
   * @returns null for "don't know": such a line is for `readRecordLine` to accept or refuse.
   */
  match(line: string): RecordHead | null {
    const found = (line.length <= this.#safeLength ? this.#unbounded : this.#exact).exec(line);
    if (found === null) return null;
    const { class: witness, role, run, type } = this.#record;
    const [, prev = "", sequence, wall = ""] = found;
    return { class: witness, prev, role, run, sequence: Number(sequence), type, wall };
  }
}

const spell = (record: EvidenceRecord, as: Spelling): string =>
  spellObject(record, as, (name) => {
    switch (name) {
      case "capability":
      case "policy":
      case "subject":
        return record[name] === null ? "null" : `"${as.digest}"`;
      case "event":
        return `"${as.id}"`;
      case "idempotencyKey":
        return record[name] === null ? "null" : `"${as.id}"`;
      case "measurements":
        return spellMeasurements(record, as);
      case "monotonicUs":
        return as.count;
      case "prev":
        return `"${as.prev}"`;
      case "sequence":
        return as.sequence;
      case "wall":
        return `"${as.wall}"`;
      case "actor":
      case "class":
      case "clockSource":
      case "decision":
      case "mechanism":
      case "retention":
      case "role":
      case "run":
      case "schema":
      case "type":
        return as.fixed(canonicalise(record[name]));
    }
  });

const spellMeasurements = ({ type, measurements }: EvidenceRecord, as: Spelling): string => {
  const required = eventTypes.get(type)?.measurements ?? {};
  return spellObject(measurements, as, (name) =>
    spellValue(measurements[name] ?? null, as, required[name]),
  );
};

/** @param kind what the type of the event asks of it, if anything. */
const spellValue = (value: JsonValue, as: Spelling, kind?: MeasurementKind): string => {
  switch (typeof value) {
    case "string":
      if (kind === "digest" || DIGEST_PATTERN.test(value)) return `"${as.digest}"`;
      return kind === "id" ? `"${as.id}"` : `"${as.text}"`;
    case "number":
      return value < 0 ? as.negative : as.count;
    case "boolean":
      return as.boolean;
    case "object": {
      if (value === null) return as.fixed("null");
      if (isJsonObject(value))
        return spellObject(value, as, (name) => spellValue(value[name] ?? null, as));
      const items = value.map((item: JsonValue) => spellValue(item, as));
      return `${as.fixed("[")}${items.join(",")}${as.fixed("]")}`;
    }
  }
};

/** Members in the order of RFC 8785 §3.2.3. */
const spellObject = <T extends object>(
  value: T,
  as: Spelling,
  member: (name: keyof T & string) => string,
): string => {
  const names = (Object.keys(value) as (keyof T & string)[]).sort();
  const members = names.map((name) => `"${name}":${member(name)}`);
  return `${as.fixed("{")}${members.join(",")}${as.fixed("}")}`;
};
