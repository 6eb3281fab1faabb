import { NO, type Position } from "./scan-bytes.js";

/** Text that has to stand somewhere, compared four bytes at a time. */
export interface Literal {
  readonly length: number;
  /** From the start. */
  readonly words: Int32Array;
  /** The last four bytes, which may overlap the words; only from four bytes on. */
  readonly lastWord: number;
  /** Texts shorter than four bytes. */
  readonly short: Uint8Array;
}

export const literal = (text: string): Literal => {
  const bytes = Buffer.from(text, "latin1");
  const { length } = bytes;
  const words = Int32Array.from({ length: length >>> 2 }, (_, index) =>
    bytes.readInt32LE(4 * index),
  );
  return length < 4
    ? { length, words, lastWord: 0, short: Uint8Array.from(bytes) }
    : { length, words, lastWord: bytes.readInt32LE(length - 4), short: new Uint8Array() };
};

/** A line inside a larger buffer, with a view that reads words at any offset. */
export class LineView {
  #buffer: ArrayBufferLike | null = null;
  #view: DataView<ArrayBufferLike> = new DataView(new ArrayBuffer(0));
  #base = 0;
  #length = 0;

  look(line: Buffer): void {
    // Consecutive lines lie in one buffer, and a view costs more than reading a line.
    if (line.buffer !== this.#buffer) {
      this.#buffer = line.buffer;
      this.#view = new DataView(line.buffer);
    }
    this.#base = line.byteOffset;
    this.#length = line.length;
  }

  /** @returns the position behind `expected`, or −1 when it doesn't stand at `at`. */
  expect(at: Position, expected: Literal): Position {
    const end = at + expected.length;
    if (at < 0 || end > this.#length) return NO;
    const { words, short } = expected;
    const view = this.#view;
    let offset = this.#base + at;
    if (expected.length < 4) {
      for (let index = 0; index < short.length; index += 1) {
        if (view.getUint8(offset + index) !== short[index]) return NO;
      }
      return end;
    }
    if (view.getInt32(this.#base + end - 4, true) !== expected.lastWord) return NO;
    for (let index = 0; index < words.length; index += 1) {
      if (view.getInt32(offset, true) !== words[index]) return NO;
      offset += 4;
    }
    return end;
  }

  /** Whether `[from, to)` is exactly `expected`. */
  is(from: Position, to: Position, expected: Literal): boolean {
    return to - from === expected.length && this.expect(from, expected) === to;
  }
}
