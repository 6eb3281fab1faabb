/** One message between two host processes: a JSON text and a line feed. */
export const MAX_LINE_BYTES = 1024 * 1024;

export type Lines =
  | { readonly kind: "lines"; readonly lines: readonly Buffer[] }
  | { readonly kind: "overlong"; readonly limit: number };

/** Cuts a byte stream into lines, whatever the segmentation; holds at most one line. */
export class LineSplitter {
  readonly #limit: number;
  #parts: Buffer[] = [];
  #held = 0;

  constructor(limit: number = MAX_LINE_BYTES) {
    this.#limit = limit;
  }

  push(chunk: Buffer): Lines {
    const lines: Buffer[] = [];
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, start)) {
      const tail = chunk.subarray(start, end);
      if (this.#held + tail.length > this.#limit) return { kind: "overlong", limit: this.#limit };
      lines.push(this.#held === 0 ? tail : Buffer.concat([...this.#parts, tail]));
      this.#parts = [];
      this.#held = 0;
      start = end + 1;
    }
    const rest = chunk.subarray(start);
    if (this.#held + rest.length > this.#limit) return { kind: "overlong", limit: this.#limit };
    if (rest.length > 0) {
      this.#parts.push(rest);
      this.#held += rest.length;
    }
    return { kind: "lines", lines };
  }
}
