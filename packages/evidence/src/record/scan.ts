import type { EventType } from "./event-type.js";
import { eventTypes } from "./event-types.js";
import { LineView, type Literal, literal } from "./literal.js";
import { type EvidenceRecord, MAX_RECORD_BYTES, RECORD_SCHEMA } from "./record.js";
import {
  ascii,
  NO,
  numberAt,
  type Position,
  scanDigest,
  scanId,
  scanInstant,
  scanInteger,
} from "./scan-bytes.js";
import { MeasurementScanner, type RequiredMeasurement } from "./scan-measurements.js";
import { LineTemplates, type Span } from "./template.js";
import { RETENTION, ROLES, type Role, WITNESS_CLASSES, type WitnessClass } from "./vocabulary.js";

/** What a log's chain and class checks need of a record. */
export interface ScannedRecord {
  readonly class: WitnessClass;
  readonly prev: string;
  readonly role: Role;
  readonly run: string;
  readonly sequence: number;
  readonly type: string;
  readonly wall: string;
}

const BEFORE = {
  actor: literal('{"actor":"'),
  capability: literal('","capability":'),
  class: literal(',"class":"'),
  clockSource: literal('","clockSource":"'),
  decision: literal('","decision":'),
  event: literal(',"event":"'),
  idempotencyKey: literal('","idempotencyKey":'),
  measurements: literal(',"measurements":'),
  mechanism: literal(',"mechanism":'),
  monotonicUs: literal(',"monotonicUs":'),
  policy: literal(',"policy":'),
  prev: literal(',"prev":"'),
  retention: literal('","retention":"'),
  role: literal('","role":"'),
  run: literal('","run":"'),
  sequence: literal(`","schema":"${RECORD_SCHEMA}","sequence":`),
  subject: literal(',"subject":'),
  type: literal(',"type":"'),
  wall: literal('","wall":"'),
  end: literal('"}'),
} as const;

const NULL = literal("null");
const QUOTE = 0x22;

interface CompiledType {
  readonly name: string;
  readonly bytes: Literal;
  readonly roles: readonly Role[];
  readonly class: WitnessClass;
  /** As it stands in a record, quotes included. */
  readonly mechanism: Literal;
  readonly decisions: readonly Literal[];
  readonly measurements: readonly RequiredMeasurement[];
}

const compile = (name: string, type: EventType): CompiledType => ({
  name,
  bytes: literal(name),
  roles: type.roles,
  class: type.class,
  mechanism: literal(type.mechanism === null ? "null" : `"${type.mechanism}"`),
  decisions:
    type.decisions === null ? [NULL] : type.decisions.map((decision) => literal(`"${decision}"`)),
  measurements: Object.entries(type.measurements)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([measurement, kind]) => ({ name: ascii(measurement), kind })),
});

/**
 * The fast way through a long log: one pass over the bytes that recognises a record which
 * `readRecordLine` and `eventProblem` would accept, without building it. It only ever says yes or
 * "don't know": whatever it doesn't recognise (escapes, characters beyond ASCII, anything wrong)
 * is for the slow path to read and, if need be, to refuse.
 */
export class RecordScanner {
  readonly #measurements = new MeasurementScanner();
  readonly #types: ReadonlyMap<string, CompiledType>;
  readonly #view = new LineView();
  readonly #templates = new LineTemplates<Layout>(this.#view);
  #lastType: CompiledType | null = null;
  #lastRun = { text: "", bytes: literal("") };

  constructor() {
    this.#types = new Map([...eventTypes].map(([name, type]) => [name, compile(name, type)]));
  }

  /** @returns null for "don't know". */
  scan(line: Buffer): ScannedRecord | null {
    if (line.length > MAX_RECORD_BYTES) return null;
    const view = this.#view;
    view.look(line);
    const layout = this.#templates.match(line);
    if (layout !== null) return recordOf(line, layout);
    let at = scanId(line, view.expect(0, BEFORE.actor));
    at = this.#nullable(line, view.expect(at, BEFORE.capability), scanDigest);
    const classAt = view.expect(at, BEFORE.class);
    const witness = this.#oneOf(line, classAt, CLASSES);
    if (witness === null) return null;
    at = scanId(line, view.expect(classAt + witness.bytes.length, BEFORE.clockSource));
    const decisionAt = view.expect(at, BEFORE.decision);
    const decisionEnd = this.#nullable(line, decisionAt, scanId);
    const eventAt = view.expect(decisionEnd, BEFORE.event);
    const eventEnd = scanId(line, eventAt);
    at = this.#nullable(line, view.expect(eventEnd, BEFORE.idempotencyKey), scanId);
    at = this.#measurements.scan(line, view.expect(at, BEFORE.measurements));
    const mechanismAt = view.expect(at, BEFORE.mechanism);
    const mechanismEnd = this.#nullable(line, mechanismAt, scanId);
    const timeAt = view.expect(mechanismEnd, BEFORE.monotonicUs);
    const timeEnd = scanCount(line, timeAt);
    at = this.#nullable(line, view.expect(timeEnd, BEFORE.policy), scanDigest);
    const prevAt = view.expect(at, BEFORE.prev);
    const prevEnd = scanDigest(line, prevAt);
    const retentionAt = view.expect(prevEnd, BEFORE.retention);
    const retention = this.#oneOf(line, retentionAt, RETENTIONS);
    if (retention === null) return null;
    const roleAt = view.expect(retentionAt + retention.bytes.length, BEFORE.role);
    const role = this.#oneOf(line, roleAt, ROLE_NAMES);
    if (role === null) return null;
    const runAt = view.expect(roleAt + role.bytes.length, BEFORE.run);
    const runEnd = scanId(line, runAt);
    const sequenceAt = view.expect(runEnd, BEFORE.sequence);
    const sequenceEnd = scanCount(line, sequenceAt);
    at = this.#nullable(line, view.expect(sequenceEnd, BEFORE.subject), scanDigest);
    const typeAt = view.expect(at, BEFORE.type);
    const typeEnd = scanId(line, typeAt);
    const wallAt = view.expect(typeEnd, BEFORE.wall);
    const wallEnd = scanInstant(line, wallAt);
    if (view.expect(wallEnd, BEFORE.end) !== line.length) return null;

    const type = this.#type(line, typeAt, typeEnd);
    if (
      type === undefined ||
      type.class !== witness.name ||
      !type.roles.includes(role.name) ||
      !view.is(mechanismAt, mechanismEnd, type.mechanism) ||
      !type.decisions.some((decision) => view.is(decisionAt, decisionEnd, decision)) ||
      !this.#measurements.satisfy(line, type.measurements)
    ) {
      return null;
    }
    const found: Layout = {
      class: type.class,
      role: role.name,
      run: this.#run(line, runAt, runEnd),
      type: type.name,
      prev: { from: prevAt, to: prevEnd, kind: "digest" },
      sequence: { from: sequenceAt, to: sequenceEnd, kind: "count" },
      wall: { from: wallAt, to: wallEnd, kind: "instant" },
    };
    const spans: readonly Span[] = [
      { from: eventAt, to: eventEnd, kind: "id" },
      ...this.#measurements.spans(line),
      { from: timeAt, to: timeEnd, kind: "count" },
      found.prev,
      found.sequence,
      found.wall,
    ];
    this.#templates.learn(line, spans, found);
    return recordOf(line, found);
  }

  /** Neighbours are mostly of one type; comparing is cheaper than making a string to look up. */
  #type(line: Buffer, from: Position, to: Position): CompiledType | undefined {
    if (this.#lastType !== null && this.#view.is(from, to, this.#lastType.bytes)) {
      return this.#lastType;
    }
    const type = this.#types.get(line.toString("latin1", from, to));
    this.#lastType = type ?? null;
    return type;
  }

  #run(line: Buffer, from: Position, to: Position): string {
    if (!this.#view.is(from, to, this.#lastRun.bytes)) {
      const text = line.toString("latin1", from, to);
      this.#lastRun = { text, bytes: literal(text) };
    }
    return this.#lastRun.text;
  }

  #oneOf<T extends string>(line: Buffer, at: Position, names: readonly Name<T>[]): Name<T> | null {
    for (const name of names) {
      const end = this.#view.expect(at, name.bytes);
      if (end >= 0 && line[end] === QUOTE) return name;
    }
    return null;
  }

  /** `null`, or a string whose inside `scan` reads. */
  #nullable(
    line: Buffer,
    at: Position,
    scan: (line: Uint8Array, at: Position) => Position,
  ): Position {
    if (at < 0) return NO;
    if (line[at] !== QUOTE) return this.#view.expect(at, NULL);
    const end = scan(line, at + 1);
    return end >= 0 && line[end] === QUOTE ? end + 1 : NO;
  }
}

/** Where the fields are that change, and the ones that don't. */
interface Layout extends Omit<ScannedRecord, "prev" | "sequence" | "wall"> {
  readonly prev: Span;
  readonly sequence: Span;
  readonly wall: Span;
}

const recordOf = (line: Buffer, layout: Layout): ScannedRecord => ({
  class: layout.class,
  prev: line.toString("latin1", layout.prev.from, layout.prev.to),
  role: layout.role,
  run: layout.run,
  sequence: numberAt(line, layout.sequence.from, layout.sequence.to),
  type: layout.type,
  wall: line.toString("latin1", layout.wall.from, layout.wall.to),
});

/** The whole record behind a line that was scanned: ASCII, canonical and well shaped. */
export const recordOfScanned = (line: Buffer): EvidenceRecord =>
  JSON.parse(line.toString("latin1"));

interface Name<T extends string> {
  readonly name: T;
  readonly bytes: Literal;
}

const namesOf = <T extends string>(names: readonly T[]): readonly Name<T>[] =>
  names.map((name) => ({ name, bytes: literal(name) }));

const CLASSES = namesOf<WitnessClass>(WITNESS_CLASSES);
const ROLE_NAMES = namesOf<Role>(ROLES);
const RETENTIONS = namesOf(RETENTION);

const scanCount = (line: Uint8Array, at: Position): Position =>
  at >= 0 && line[at] !== 0x2d ? scanInteger(line, at) : NO;
