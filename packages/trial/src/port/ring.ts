/** Keeps the end of a byte stream: a flood costs its bound and is counted. */
export class Ring {
  readonly #limit: number;
  #chunks: Buffer[] = [];
  #held = 0;
  #total = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  push(chunk: Buffer): void {
    this.#total += chunk.length;
    const kept = chunk.subarray(Math.max(0, chunk.length - this.#limit));
    // Copied: a short rest must not pin the large buffer that it arrived in.
    this.#chunks.push(Buffer.from(kept));
    this.#held += kept.length;
    while (this.#held > this.#limit) {
      const first = this.#chunks[0];
      if (first === undefined) return;
      const excess = this.#held - this.#limit;
      if (first.length <= excess) {
        this.#chunks.shift();
        this.#held -= first.length;
      } else {
        this.#chunks[0] = first.subarray(excess);
        this.#held -= excess;
      }
    }
  }

  get kept(): number {
    return this.#held;
  }

  get dropped(): number {
    return this.#total - this.#held;
  }

  contents(): Buffer {
    return Buffer.concat(this.#chunks);
  }
}
