/** Reads lines and exact lengths from a stream of chunks without ever holding more than asked. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #truncated: () => Error;
  #buffer: Buffer = Buffer.alloc(0);
  #ended = false;
  #consumed = 0;

  /** `truncated` makes the error for a stream that ends inside a line or a length. */
  constructor(source: AsyncIterable<Uint8Array>, truncated: () => Error) {
    this.#chunks = source[Symbol.asyncIterator]();
    this.#truncated = truncated;
  }

  /** Bytes handed out so far. */
  get consumed(): number {
    return this.#consumed;
  }

  /** One line without its LF, or undefined at the end. A line longer than `limit` bytes throws. */
  async line(limit: number): Promise<Buffer | undefined> {
    let searched = 0;
    for (;;) {
      const end = this.#buffer.indexOf(0x0a, searched);
      if ((end === -1 ? this.#buffer.length : end) > limit) throw this.#truncated();
      if (end !== -1) {
        const line = this.#advance(end);
        this.#advance(1);
        return line;
      }
      searched = this.#buffer.length;
      if (!(await this.#fill())) {
        if (this.#buffer.length === 0) return undefined;
        throw this.#truncated();
      }
    }
  }

  /** Exactly `length` bytes, or undefined when the stream ended before the first of them. */
  async exactly(length: number): Promise<Buffer | undefined> {
    while (this.#buffer.length < length) {
      if (!(await this.#fill())) {
        if (this.#buffer.length === 0) return undefined;
        throw this.#truncated();
      }
    }
    return this.#advance(length);
  }

  /** `length` bytes in the chunks in which they arrive. */
  async *take(length: number): AsyncGenerator<Buffer, void, void> {
    let left = length;
    while (left > 0) {
      if (this.#buffer.length === 0 && !(await this.#fill())) throw this.#truncated();
      const chunk = this.#advance(Math.min(left, this.#buffer.length));
      left -= chunk.length;
      yield chunk;
    }
  }

  /** Everything that is left. */
  async *rest(): AsyncGenerator<Buffer, void, void> {
    while (this.#buffer.length > 0 || (await this.#fill())) {
      yield this.#advance(this.#buffer.length);
    }
  }

  /** Tells the source that nothing more will be read from it. */
  async close(): Promise<void> {
    this.#ended = true;
    await this.#chunks.return?.();
  }

  #advance(length: number): Buffer {
    const taken = this.#buffer.subarray(0, length);
    this.#buffer = this.#buffer.subarray(length);
    this.#consumed += length;
    return taken;
  }

  async #fill(): Promise<boolean> {
    while (!this.#ended) {
      const next = await this.#chunks.next();
      if (next.done === true) {
        this.#ended = true;
      } else if (next.value.length > 0) {
        const chunk = Buffer.from(next.value.buffer, next.value.byteOffset, next.value.length);
        this.#buffer = this.#buffer.length === 0 ? chunk : Buffer.concat([this.#buffer, chunk]);
        return true;
      }
    }
    return false;
  }
}
