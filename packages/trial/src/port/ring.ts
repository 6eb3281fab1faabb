/** What a new ring takes; it grows to its limit only if that much is ever written. */
const FIRST_BYTES = 64 * 1024;

/**
 * Keeps the end of a byte stream in one circular buffer: a flood costs its bound and is counted,
 * also when it comes one byte at a time.
 */
export class Ring {
  readonly #limit: number;
  #buffer: Buffer;
  /** Where the next byte goes. */
  #at = 0;
  #held = 0;
  #total = 0;

  constructor(limit: number) {
    this.#limit = limit;
    this.#buffer = Buffer.alloc(Math.min(limit, FIRST_BYTES));
  }

  push(chunk: Buffer): void {
    this.#total += chunk.length;
    this.#grow(this.#held + chunk.length);
    const size = this.#buffer.length;
    const kept = chunk.subarray(Math.max(0, chunk.length - size));
    const first = kept.copy(this.#buffer, this.#at);
    kept.copy(this.#buffer, 0, first);
    this.#at = size === 0 ? 0 : (this.#at + kept.length) % size;
    this.#held = Math.min(size, this.#held + kept.length);
  }

  get kept(): number {
    return this.#held;
  }

  get dropped(): number {
    return this.#total - this.#held;
  }

  contents(): Buffer {
    const begin = this.#at - this.#held;
    return begin >= 0
      ? Buffer.from(this.#buffer.subarray(begin, this.#at))
      : Buffer.concat([
          this.#buffer.subarray(this.#buffer.length + begin),
          this.#buffer.subarray(0, this.#at),
        ]);
  }

  /** Doubles, so that copying stays in proportion to what was written. */
  #grow(wanted: number): void {
    let size = this.#buffer.length;
    if (wanted <= size || size >= this.#limit) return;
    while (size < wanted && size < this.#limit) size = Math.min(this.#limit, size * 2);
    const larger = Buffer.alloc(size);
    const held = this.contents();
    held.copy(larger);
    this.#buffer = larger;
    this.#at = held.length % size;
  }
}
