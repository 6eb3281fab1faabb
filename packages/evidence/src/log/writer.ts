import { digestOf } from "../digest/digest.js";
import { DrydockError } from "../errors.js";
import { canonicalBytes } from "../json/canonical.js";
import type { SigningKey } from "../keys/key.js";
import { eventProblem } from "../record/check-event.js";
import type { EventType } from "../record/event-type.js";
import { type EventTypeName, eventTypes } from "../record/event-types.js";
import {
  type EvidenceRecord,
  FIRST_PREV,
  MAX_RECORD_BYTES,
  type Measurements,
  RECORD_SCHEMA,
  readRecord,
} from "../record/record.js";
import type { Retention, Role } from "../record/vocabulary.js";
import type { Digest, Id, Instant } from "../schema/common.js";
import { logOrigin, signCheckpoint } from "./checkpoint.js";
import type { AppendFile } from "./file.js";
import { IncrementalTree } from "./merkle.js";
import { LOG_ENDS } from "./terminal.js";

export interface LogClock {
  /** Names where both readings come from, e.g. `linux.realtime-monotonic`. */
  readonly source: Id;
  wall(): Instant;
  monotonicUs(): number;
}

export interface LogOptions {
  readonly run: Id;
  readonly role: Role;
  /** Digest of the sealed manifest; goes into record 0. */
  readonly manifest: Digest;
  readonly key: SigningKey;
  readonly clock: LogClock;
  /** 8 random bytes: makes event ids unique between logs. */
  readonly nonce: Uint8Array;
  readonly log: AppendFile;
  readonly checkpoints: AppendFile;
  /** Defaults of every record. */
  readonly actor?: Id;
  readonly subject?: Digest | null;
  readonly policy?: Digest | null;
}

/** What the caller says; class and mechanism follow from the type, so they can't be misstated. */
export interface Event {
  readonly type: EventTypeName;
  readonly actor?: Id;
  readonly decision?: Id | null;
  readonly measurements?: Measurements;
  readonly subject?: Digest | null;
  readonly policy?: Digest | null;
  readonly capability?: Digest | null;
  readonly idempotencyKey?: Id | null;
  readonly retention?: Retention;
}

export interface LogHead {
  readonly origin: string;
  readonly size: number;
  readonly root: Digest;
}

export interface LogWriter {
  /** Appends one record. It is durable after the next `checkpoint()`. */
  append(event: Event): EvidenceRecord;
  /** Makes everything appended durable, then signs the head; durable itself on return. */
  checkpoint(): LogHead & { readonly note: string };
  head(): LogHead;
}

/**
 * Starts a log: writes record 0, which binds it to run, role and manifest.
 *
 * @throws DrydockError EVENT_* when an event isn't what its type asks for: a wrong receipt is
 *   refused where it is written, not found by a stranger later.
 */
export const openLog = (options: LogOptions): LogWriter => {
  const writer = new Writer(options, { tree: new IncrementalTree(), prev: FIRST_PREV });
  writer.append({
    type: LOG_ENDS[options.role].begin,
    measurements: { manifest: options.manifest },
  });
  return writer;
};

/** Where a recovered log goes on; see `recoverLog`. */
export interface LogTail {
  readonly tree: IncrementalTree;
  readonly prev: Digest;
}

/** Continues a log whose files end exactly at `tail`. */
export const continueLog = (options: LogOptions, tail: LogTail): LogWriter =>
  new Writer(options, tail);

class Writer implements LogWriter {
  readonly #options: LogOptions;
  readonly #origin: string;
  readonly #nonce: string;
  readonly #tree: IncrementalTree;
  #prev: Digest;
  #broken = false;

  constructor(options: LogOptions, tail: LogTail) {
    if (options.nonce.length !== 8) throw new RangeError("the nonce of a log has 8 bytes");
    this.#options = options;
    this.#origin = logOrigin(options.run, options.role);
    this.#nonce = Buffer.from(options.nonce).toString("hex");
    this.#tree = tail.tree;
    this.#prev = tail.prev;
  }

  append(event: Event): EvidenceRecord {
    this.#mustBeWhole();
    const record = this.#record(event);
    const problem = eventProblem(record);
    if (problem !== null) throw new DrydockError(problem.code, problem.message);
    const line = canonicalBytes(record);
    if (line.length > MAX_RECORD_BYTES) {
      throw new DrydockError("EVENT_SIZE", `${event.type} has ${line.length} bytes`, {
        fix: `Record a digest instead; a record has at most ${MAX_RECORD_BYTES} bytes.`,
      });
    }
    this.#write(() => this.#options.log.append(Buffer.concat([line, LINE_FEED])));
    this.#prev = digestOf(line);
    this.#tree.append(line);
    return record;
  }

  checkpoint(): LogHead & { readonly note: string } {
    this.#mustBeWhole();
    const head = this.head();
    const note = signCheckpoint(
      { origin: this.#origin, size: head.size, root: this.#tree.root() },
      this.#options.key,
    );
    this.#write(() => {
      // In this order: a durable checkpoint over lines that a crash took would look like a cut.
      this.#options.log.sync();
      this.#options.checkpoints.append(Buffer.from(note, "utf8"));
      this.#options.checkpoints.sync();
    });
    return { ...head, note };
  }

  head(): LogHead {
    return {
      origin: this.#origin,
      size: this.#tree.size,
      root: `sha256:${this.#tree.root().toString("hex")}`,
    };
  }

  #record(event: Event): EvidenceRecord {
    const type: EventType | undefined = eventTypes.get(event.type);
    if (type === undefined) {
      throw new DrydockError("EVENT_UNKNOWN", `unknown event type ${event.type}`);
    }
    const { run, role, clock } = this.#options;
    const sequence = this.#tree.size;
    return readRecord({
      actor: event.actor ?? this.#options.actor ?? role,
      capability: event.capability ?? null,
      class: type.class,
      clockSource: clock.source,
      decision: event.decision ?? null,
      event: `${this.#nonce}.${sequence}`,
      idempotencyKey: event.idempotencyKey ?? null,
      measurements: event.measurements ?? {},
      mechanism: type.mechanism,
      monotonicUs: clock.monotonicUs(),
      policy: event.policy ?? this.#options.policy ?? null,
      prev: this.#prev,
      retention: event.retention ?? "audit",
      role,
      run,
      schema: RECORD_SCHEMA,
      sequence,
      subject: event.subject ?? this.#options.subject ?? null,
      type: event.type,
      wall: clock.wall(),
    });
  }

  /** After a failed write nobody knows what is on disk, so nothing more is signed. */
  #write(write: () => void): void {
    this.#broken = true;
    write();
    this.#broken = false;
  }

  #mustBeWhole(): void {
    if (this.#broken) {
      throw new DrydockError("LOG_BROKEN", `an earlier write to ${this.#origin} failed`, {
        fix: "Stop the run; recover the log from its last valid prefix.",
      });
    }
  }
}

const LINE_FEED = Buffer.from("\n");
