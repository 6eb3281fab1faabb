/**
 * Received bytes that nobody has read yet. A piece is kept as it is only when it makes up at
 * least half of the memory it pins; smaller ones are copied together. So a peer that sends single
 * bytes can't make this side hold more than twice its credit.
 */
export class ByteQueue {
  #pieces: Buffer[] = [];
  #tail: Buffer | null = null;
  #tailLength = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(piece: Uint8Array): void {
    this.#length += piece.length;
    if (piece.length * 2 >= piece.buffer.byteLength) {
      this.#flush();
      this.#pieces.push(Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength));
      return;
    }
    let rest = piece;
    while (rest.length > 0) {
      this.#tail ??= Buffer.allocUnsafeSlow(TAIL_BYTES);
      const part = rest.subarray(0, TAIL_BYTES - this.#tailLength);
      this.#tail.set(part, this.#tailLength);
      this.#tailLength += part.length;
      if (this.#tailLength === TAIL_BYTES) this.#flush();
      rest = rest.subarray(part.length);
    }
  }

  /** The oldest bytes, or null. */
  shift(): Buffer | null {
    if (this.#pieces.length === 0) this.#flush();
    const piece = this.#pieces.shift() ?? null;
    if (piece !== null) this.#length -= piece.length;
    return piece;
  }

  clear(): void {
    this.#pieces = [];
    this.#tail = null;
    this.#tailLength = 0;
    this.#length = 0;
  }

  #flush(): void {
    if (this.#tail === null || this.#tailLength === 0) return;
    const filled = this.#tail.subarray(0, this.#tailLength);
    // A short tail is copied out, so that it doesn't pin a whole block.
    this.#pieces.push(
      this.#tailLength * 2 >= TAIL_BYTES ? filled : Buffer.from(new Uint8Array(filled).buffer),
    );
    this.#tail = null;
    this.#tailLength = 0;
  }
}

const TAIL_BYTES = 16 * 1024;
