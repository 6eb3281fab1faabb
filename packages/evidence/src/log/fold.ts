import { digestOf } from "../digest/digest.js";
import { type Finding, type FindingCode, finding, messageOf } from "../finding.js";
import { JsonError } from "../json/error.js";
import { eventProblem } from "../record/check-event.js";
import { readRecordLine } from "../record/read-line.js";
import { type EvidenceRecord, FIRST_PREV } from "../record/record.js";
import { RecordScanner, recordOfScanned, type ScannedRecord } from "../record/scan.js";
import type { Role } from "../record/vocabulary.js";
import type { Digest, Id } from "../schema/common.js";
import { ShapeError } from "../schema/error.js";
import { mayAssert } from "../trust/may-assert.js";
import type { Authority } from "../trust/trust.js";
import { chainProblem } from "./chain.js";
import { IncrementalTree, type Subtree } from "./merkle.js";
import { LOG_ENDS } from "./terminal.js";

/** What a log's reader has to know; plain data, so that another thread can be told. */
export interface LogFoldOptions {
  readonly run: Id;
  readonly role: Role;
  readonly manifest: Digest;
  /** Whose key signs the log; null reads it for structure only. */
  readonly authority: Pick<
    Authority,
    "roles" | "classes" | "notBefore" | "notAfter" | "key"
  > | null;
  /** Sizes at which the root is wanted. */
  readonly rootsAt: ReadonlySet<number>;
  readonly file: string;
  /** Types of the records that `observe` wants to see, … */
  readonly wanted: ReadonlySet<string>;
  /** … up to this size of the log. */
  readonly observeUpTo: number;
}

/** A part of a log that was read on its own, in another thread. */
export interface LogPart {
  readonly first: LogPosition;
  readonly last: LogPosition;
  readonly lastType: string | null;
  readonly subtrees: readonly Subtree[];
  readonly subtreesAt: ReadonlyMap<number, readonly Subtree[]>;
  readonly observed: readonly EvidenceRecord[];
}

export interface LogPosition {
  readonly sequence: number;
  readonly prev: Digest;
}

const START: LogPosition = { sequence: 0, prev: FIRST_PREV };

/**
 * Reads a log line by line in constant memory. The first bad line ends the valid prefix: what
 * stands behind it isn't skipped to, because nobody knows what it followed.
 */
export class LogFold {
  readonly options: LogFoldOptions;
  readonly #observe: (record: EvidenceRecord) => void;
  readonly #scanner = sharedScanner();
  readonly #first: LogPosition;
  readonly #tree: IncrementalTree;
  readonly #subtreesAt = new Map<number, readonly Subtree[]>();
  readonly #roots = new Map<number, Buffer>();
  #prev: Digest;
  #lastType: string | null = null;

  /** @param first where a part begins that is read on its own. */
  constructor(
    options: LogFoldOptions,
    observe: (record: EvidenceRecord) => void,
    first: LogPosition = START,
  ) {
    this.options = options;
    this.#observe = observe;
    this.#first = first;
    this.#prev = first.prev;
    this.#tree = new IncrementalTree(first.sequence);
    this.#noteSize();
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
    const known = this.#roots.get(size);
    if (known !== undefined) return known;
    const subtrees = this.#subtreesAt.get(size);
    if (subtrees === undefined) return undefined;
    const tree = new IncrementalTree();
    tree.join(subtrees);
    const root = tree.root();
    this.#roots.set(size, root);
    return root;
  }

  /**
   * @param line without its LF.
   * @param offset of the line in the file, for messages.
   * @returns what is wrong with it, or null.
   */
  accept(line: Buffer, offset: number): Finding | null {
    const scanned = this.#scanner.scan(line);
    if (scanned !== null && scanned.type !== LOG_ENDS[this.options.role].begin) {
      const wrong = this.#wrong(scanned);
      if (wrong !== null) return this.#problem(wrong.code, offset, wrong.message);
      this.#take(scanned, line, () => recordOfScanned(line));
      return null;
    }
    return this.#acceptSlowly(line, offset);
  }

  /** The whole check, with the reason of every refusal. */
  #acceptSlowly(line: Buffer, offset: number): Finding | null {
    let record: EvidenceRecord;
    try {
      record = readRecordLine(line);
    } catch (error) {
      if (!(error instanceof JsonError) && !(error instanceof ShapeError)) throw error;
      const at = error instanceof JsonError ? offset + error.offset : offset;
      return this.#problem("LOG_RECORD", at, messageOf(error));
    }
    const wrong = this.#wrong(record) ?? this.#wrongEvent(record);
    if (wrong !== null) return this.#problem(wrong.code, offset, wrong.message);
    this.#take(record, line, () => record);
    return null;
  }

  part(observed: readonly EvidenceRecord[]): LogPart {
    return {
      first: this.#first,
      last: { sequence: this.size, prev: this.#prev },
      lastType: this.#lastType,
      subtrees: this.#tree.subtrees(),
      subtreesAt: this.#subtreesAt,
      observed,
    };
  }

  /** Takes over a part if it follows on from here; otherwise the caller reads it himself. */
  join(part: LogPart): boolean {
    const follows =
      part.first.sequence === this.size &&
      part.first.prev === this.#prev &&
      this.#lastType !== LOG_ENDS[this.options.role].end;
    if (!follows) return false;
    for (const [size, subtrees] of part.subtreesAt) {
      const tree = this.#tree.copy();
      tree.join(subtrees);
      this.#subtreesAt.set(size, tree.subtrees());
    }
    this.#tree.join(part.subtrees);
    this.#prev = part.last.prev;
    this.#lastType = part.lastType;
    part.observed.forEach(this.#observe);
    return true;
  }

  #take(record: ScannedRecord, line: Buffer, whole: () => EvidenceRecord): void {
    this.#tree.append(line);
    this.#prev = digestOf(line);
    this.#lastType = record.type;
    this.#noteSize();
    const { wanted, observeUpTo } = this.options;
    if (this.size <= observeUpTo && wanted.has(record.type)) this.#observe(whole());
  }

  #wrong(record: ScannedRecord): { code: FindingCode; message: string } | null {
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

  /** What the scanner has looked at already in a record that it recognised. */
  #wrongEvent(record: EvidenceRecord): { code: FindingCode; message: string } | null {
    const event = eventProblem(record);
    if (event !== null) return { code: "EVENT", message: event.message };
    if (this.size === 0 && record.measurements["manifest"] !== this.options.manifest) {
      return { code: "LOG_BINDING", message: "record 0 names another manifest" };
    }
    return null;
  }

  #noteSize(): void {
    if (this.options.rootsAt.has(this.size)) {
      this.#subtreesAt.set(this.size, this.#tree.subtrees());
    }
  }

  #problem(code: FindingCode, offset: number, message: string): Finding {
    return finding(code, this.options.file, `line ${this.size + 1}, byte ${offset}`, message);
  }
}

let scanner: RecordScanner | null = null;
/** One for all: it holds compiled tables and no state between lines. */
const sharedScanner = (): RecordScanner => {
  scanner ??= new RecordScanner();
  return scanner;
};
