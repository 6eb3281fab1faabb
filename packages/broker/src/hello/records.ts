import type { Reason } from "../decision/index.js";

/** RFC 8446 §5.1 */
export const CONTENT_TYPE = {
  CHANGE_CIPHER_SPEC: 20,
  HANDSHAKE: 22,
  APPLICATION_DATA: 23,
} as const;

export const RECORD_HEADER_BYTES = 5;
/** RFC 8446 §5.1: a plaintext fragment has at most 2^14 bytes. */
const MAX_FRAGMENT_BYTES = 16_384;
/** RFC 8446 §5.2: an encrypted one may have 256 more. */
const MAX_CIPHERTEXT_BYTES = MAX_FRAGMENT_BYTES + 256;
/** msg_type and a 24-bit length, RFC 8446 §4. */
const MESSAGE_HEADER_BYTES = 4;

export type MessageStep =
  | { readonly kind: "more" }
  | {
      readonly kind: "message";
      /** Without its header. */
      readonly body: Uint8Array;
      readonly raw: Uint8Array;
      readonly rest: Uint8Array;
    }
  | { readonly kind: "refused"; readonly reason: Reason };

export interface MessageReaderOptions {
  /** The only handshake message that may come. */
  readonly messageType: number;
  readonly maxBytes: number;
  readonly maxRecords: number;
  /** Records that may stand before it, and are no part of it. */
  readonly before: readonly number[];
}

const MORE: MessageStep = { kind: "more" };
const UNKNOWN = -1;

/**
 * Reads one handshake message out of plaintext TLS records, however records are split over pushes
 * and the message over records. Each byte is looked at once and kept once.
 */
export class MessageReader {
  readonly #options: MessageReaderOptions;
  #raw = new Uint8Array(0);
  #length = 0;
  #records = 0;
  /** Where the current record's header begins, and its fragment ends once the header is there. */
  #recordStart = 0;
  #recordEnd = UNKNOWN;
  readonly #fragments: { readonly start: number; readonly end: number }[] = [];
  readonly #header: number[] = [];
  #messageBytes = 0;

  constructor(options: MessageReaderOptions) {
    this.#options = options;
  }

  push(bytes: Uint8Array): MessageStep {
    for (let at = 0; at < bytes.length; ) {
      // A header is read byte by byte: what isn't TLS is known from its first one.
      const wanted = this.#recordEnd === UNKNOWN ? 1 : this.#recordEnd - this.#length;
      const taken = Math.min(wanted, bytes.length - at);
      if (this.#length + taken > this.#options.maxBytes) return refused("HELLO_TOO_LARGE");
      this.#keep(bytes, at, taken);
      at += taken;
      const reason = this.#recordEnd === UNKNOWN ? this.#readHeader() : this.#readFragment(taken);
      if (reason !== null) return refused(reason);
      if (this.#length !== this.#recordEnd) continue;
      this.#endRecord();
      if (this.#isWhole()) return this.#message(bytes.subarray(at));
    }
    return MORE;
  }

  #keep(bytes: Uint8Array, at: number, length: number): void {
    if (this.#length + length > this.#raw.length) {
      const grown = new Uint8Array(Math.max(2 * this.#raw.length, this.#length + length, 512));
      grown.set(this.#raw.subarray(0, this.#length));
      this.#raw = grown;
    }
    this.#raw.set(bytes.subarray(at, at + length), this.#length);
    this.#length += length;
  }

  #readHeader(): Reason | null {
    const header = this.#raw.subarray(this.#recordStart, this.#length);
    const [type = 0, major = 3, , high = 0, low = 0] = header;
    const first = this.#records === 0 ? "HELLO_NOT_TLS" : "HELLO_MALFORMED";
    const known = type === CONTENT_TYPE.HANDSHAKE || this.#mayStandBefore(type);
    // SSL 2.0 begins with a length, HTTP and SSH with text.
    if (!known || major !== 3) return first;
    if (header.length < RECORD_HEADER_BYTES) return null;
    const length = (high << 8) | low;
    this.#records += 1;
    if (this.#records > this.#options.maxRecords) return "HELLO_TOO_LARGE";
    // RFC 8446 §5.1: no empty handshake fragments; they would cost work and never an end.
    if (length === 0 || length > maxLength(type)) return "HELLO_MALFORMED";
    if (type === CONTENT_TYPE.CHANGE_CIPHER_SPEC && length !== 1) return "HELLO_MALFORMED";
    this.#recordEnd = this.#length + length;
    return null;
  }

  #mayStandBefore(type: number): boolean {
    return this.#fragments.length === 0 && this.#options.before.includes(type);
  }

  #readFragment(taken: number): Reason | null {
    if (this.#raw[this.#recordStart] !== CONTENT_TYPE.HANDSHAKE) return null;
    for (let at = this.#length - taken; at < this.#length; at += 1) {
      if (this.#header.length === MESSAGE_HEADER_BYTES) break;
      this.#header.push(this.#raw[at] ?? 0);
    }
    const [type, ...length] = this.#header;
    if (type !== this.#options.messageType) return "HELLO_NOT_TLS";
    this.#messageBytes += taken;
    if (length.length < 3) return null;
    const whole = this.#wholeMessageBytes();
    if (whole > this.#options.maxBytes) return "HELLO_TOO_LARGE";
    // A client waits for an answer now: nothing may share the record.
    const inRecord = this.#messageBytes + this.#recordEnd - this.#length;
    return inRecord > whole ? "HELLO_MALFORMED" : null;
  }

  #wholeMessageBytes(): number {
    const [, high = 0, middle = 0, low = 0] = this.#header;
    return MESSAGE_HEADER_BYTES + ((high << 16) | (middle << 8) | low);
  }

  #endRecord(): void {
    if (this.#raw[this.#recordStart] === CONTENT_TYPE.HANDSHAKE) {
      const start = this.#recordStart + RECORD_HEADER_BYTES;
      this.#fragments.push({ start, end: this.#length });
    }
    this.#recordStart = this.#length;
    this.#recordEnd = UNKNOWN;
  }

  #isWhole(): boolean {
    return (
      this.#header.length === MESSAGE_HEADER_BYTES &&
      this.#messageBytes === this.#wholeMessageBytes()
    );
  }

  #message(rest: Uint8Array): MessageStep {
    const message = new Uint8Array(this.#messageBytes);
    let at = 0;
    for (const { start, end } of this.#fragments) {
      message.set(this.#raw.subarray(start, end), at);
      at += end - start;
    }
    const body = message.subarray(MESSAGE_HEADER_BYTES);
    return { kind: "message", body, raw: this.#raw.subarray(0, this.#length), rest };
  }
}

const maxLength = (type: number): number =>
  type === CONTENT_TYPE.APPLICATION_DATA ? MAX_CIPHERTEXT_BYTES : MAX_FRAGMENT_BYTES;

const refused = (reason: Reason): MessageStep => ({ kind: "refused", reason });
