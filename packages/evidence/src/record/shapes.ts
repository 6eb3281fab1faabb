import { type EvidenceRecord, MAX_RECORD_BYTES } from "./record.js";
import { type RecordHead, RecordShape } from "./shape.js";

/** The newest of one type, which has one for each of its decisions and sets of measurements. */
const MAX_SHAPES_OF_TYPE = 8;
/** A pattern takes a millisecond to make, and of a hostile log every line could ask for its own. */
const MAX_LEARNED = 128;
/** Records of a type after which its next one is worth a pattern: short logs do without any. */
const WORTH_LEARNING = 8;
/** The time for a pattern grows with it, and longer lines are few. */
const MAX_LINE = 4096;
/** Between the type, near the end of every line, and that end. */
const BEHIND_TYPE = '","wall":"2026-11-30T10:00:00.000Z"}'.length;

/**
 * The fast way through a long log, whose lines mostly repeat one another in form: recognises a
 * record by the shape of earlier ones. It only ever says yes or "don't know".
 */
export class KnownShapes {
  readonly #ofType = new Map<string, Seen>();
  #learned = 0;
  #last: RecordShape | null = null;

  /** @param line one character a byte. */
  match(line: string): RecordHead | null {
    if (line.length > MAX_RECORD_BYTES) return null;
    return this.#last?.match(line) ?? this.#find(line);
  }

  #find(line: string): RecordHead | null {
    const typeEnd = line.length - BEHIND_TYPE;
    const type = line.slice(line.lastIndexOf('"', typeEnd - 1) + 1, typeEnd);
    for (const shape of this.#ofType.get(type)?.shapes ?? []) {
      const head = shape.match(line);
      if (head === null) continue;
      this.#last = shape;
      return head;
    }
    return null;
  }

  /** @param record what was read from the line, and accepted. */
  learn(record: EvidenceRecord, line: string): void {
    const seen = this.#ofType.get(record.type) ?? { times: 0, shapes: [] };
    this.#ofType.set(record.type, seen);
    seen.times += 1;
    if (seen.times <= WORTH_LEARNING || line.length > MAX_LINE) return;
    if (this.#learned === MAX_LEARNED) return;
    this.#learned += 1;
    const shape = new RecordShape(record);
    // A line with escapes, or beyond ASCII, isn't even like itself.
    if (shape.match(line) === null) return;
    seen.shapes.unshift(shape);
    seen.shapes.length = Math.min(seen.shapes.length, MAX_SHAPES_OF_TYPE);
  }
}

interface Seen {
  times: number;
  readonly shapes: RecordShape[];
}
