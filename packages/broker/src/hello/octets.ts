/** A length that doesn't add up, or a value that the format doesn't allow. */
export class OctetsError extends Error {}

/**
 * Reads the presentation language of RFC 8446 §3 from front to back. Every read is checked, and
 * whoever has read everything says so with `end`: bytes that nobody accounts for are refused.
 */
export class Octets {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  uint8(): number {
    const [value = 0] = this.take(1);
    return value;
  }

  uint16(): number {
    const [high = 0, low = 0] = this.take(2);
    return (high << 8) | low;
  }

  take(length: number): Uint8Array {
    if (length > this.left) throw new OctetsError();
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  /** A vector whose length of one or two bytes stands before it, of `min` to `max` bytes. */
  vector(lengthBytes: 1 | 2, min: number, max: number): Uint8Array {
    const length = lengthBytes === 1 ? this.uint8() : this.uint16();
    if (length < min || length > max) throw new OctetsError();
    return this.take(length);
  }

  end(): void {
    if (this.left > 0) throw new OctetsError();
  }
}
