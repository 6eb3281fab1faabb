import { digestOf } from "../digest/digest.js";
import { type Finding, type FindingCode, finding, messageOf } from "../finding.js";
import { JsonError } from "../json/error.js";
import { eventProblem } from "../record/check-event.js";
import { readRecordLine } from "../record/read-line.js";
import { type EvidenceRecord, FIRST_PREV } from "../record/record.js";
import type { RecordHead } from "../record/shape.js";
import { KnownShapes } from "../record/shapes.js";
import type { Role } from "../record/vocabulary.js";
import type { Digest, Id } from "../schema/common.js";
import { ShapeError } from "../schema/error.js";
import { mayAssert } from "../trust/may-assert.js";
import type { Authority } from "../trust/trust.js";
import { chainProblem } from "./chain.js";
import type { Line } from "./lines.js";
import { IncrementalTree } from "./merkle.js";
import { LOG_ENDS } from "./terminal.js";

export interface LogFoldOptions {
  readonly run: Id;
  readonly role: Role;
  readonly manifest: Digest;
  /** Whose key signs the log; null reads it for structure only. */
  readonly authority: Authority | null;
  /** Sizes at which the root is wanted. */
  readonly rootsAt: ReadonlySet<number>;
  readonly file: string;
  /** Types of the records that `observe` wants to see, … */
  readonly wanted: ReadonlySet<string>;
  /** … up to this size of the log. */
  readonly observeUpTo: number;
}

/**
 * Reads a log line by line in constant memory. The first bad line ends the valid prefix: what
 * stands behind it isn't skipped to, because nobody knows what it followed.
 */
export class LogFold {
  readonly options: LogFoldOptions;
  readonly #observe: (record: EvidenceRecord) => void;
  readonly #shapes: Pick<KnownShapes, "match" | "learn">;
  readonly #tree = new IncrementalTree();
  readonly #roots = new Map<number, Buffer>();
  #prev: Digest = FIRST_PREV;
  #lastType: string | null = null;

  /** @param shapes the fast way; without any the log is judged the same. */
  constructor(
    options: LogFoldOptions,
    observe: (record: EvidenceRecord) => void,
    shapes: Pick<KnownShapes, "match" | "learn"> = new KnownShapes(),
  ) {
    this.options = options;
    this.#observe = observe;
    this.#shapes = shapes;
    this.#noteRoot();
  }

  get size(): number {
    return this.#tree.size;
  }

  get root(): Buffer {
    return this.#tree.root();
  }

  get prev(): Digest {
    return this.#prev;
  }

  get tree(): IncrementalTree {
    return this.#tree;
  }

  get lastType(): string | null {
    return this.#lastType;
  }

  /** Root at a size of `rootsAt` that was reached. */
  rootAt(size: number): Buffer | undefined {
    return this.#roots.get(size);
  }

  /** @returns what is wrong with the line, or null. */
  accept(line: Line): Finding | null {
    const head = this.#shapes.match(line.text);
    if (head === null || head.type === LOG_ENDS[this.options.role].begin) {
      return this.#acceptSlowly(line);
    }
    const wrong = this.#wrong(head);
    if (wrong !== null) return this.#problem(wrong.code, line.offset, wrong.message);
    // What a shape matches is ASCII, canonical and well shaped.
    this.#take(head, line.bytes, () => JSON.parse(line.text));
    return null;
  }

  /** The whole check, with the reason of every refusal. */
  #acceptSlowly({ bytes, text, offset }: Line): Finding | null {
    let record: EvidenceRecord;
    try {
      record = readRecordLine(bytes);
    } catch (error) {
      if (!(error instanceof JsonError) && !(error instanceof ShapeError)) throw error;
      const at = error instanceof JsonError ? offset + error.offset : offset;
      return this.#problem("LOG_RECORD", at, messageOf(error));
    }
    const wrong = this.#wrong(record) ?? this.#wrongEvent(record);
    if (wrong !== null) return this.#problem(wrong.code, offset, wrong.message);
    this.#take(record, bytes, () => record);
    this.#shapes.learn(record, text);
    return null;
  }

  #take(record: RecordHead, line: Uint8Array, whole: () => EvidenceRecord): void {
    this.#tree.append(line);
    this.#prev = digestOf(line);
    this.#lastType = record.type;
    this.#noteRoot();
    const { wanted, observeUpTo } = this.options;
    if (this.size <= observeUpTo && wanted.has(record.type)) this.#observe(whole());
  }

  #wrong(record: RecordHead): { code: FindingCode; message: string } | null {
    const { run, role, authority } = this.options;
    const ends = LOG_ENDS[role];
    const chain = chainProblem(record, { run, role, sequence: this.size, prev: this.#prev });
    if (chain !== null) return { code: "LOG_CHAIN", message: chain };
    if ((this.size === 0) !== (record.type === ends.begin)) {
      return { code: "LOG_BINDING", message: `${ends.begin} has to be record 0 and no other` };
    }
    if (this.#lastType === ends.end) {
      return { code: "LOG_BINDING", message: `a record after the terminal ${ends.end}` };
    }
    if (authority !== null && !mayAssert(authority, record)) {
      return {
        code: "LOG_CLASS",
        message: `key ${authority.key.keyId} may not assert ${record.class} as ${record.role} at ${record.wall}`,
      };
    }
    return null;
  }

  /** What needs no look in a record of a known shape. */
  #wrongEvent(record: EvidenceRecord): { code: FindingCode; message: string } | null {
    const event = eventProblem(record);
    if (event !== null) return { code: "EVENT", message: event.message };
    if (this.size === 0 && record.measurements["manifest"] !== this.options.manifest) {
      return { code: "LOG_BINDING", message: "record 0 names another manifest" };
    }
    return null;
  }

  #noteRoot(): void {
    if (this.options.rootsAt.has(this.size)) this.#roots.set(this.size, this.root);
  }

  #problem(code: FindingCode, offset: number, message: string): Finding {
    return finding(code, this.options.file, `line ${this.size + 1}, byte ${offset}`, message);
  }
}
