import type { AppendFile } from "../log/file.js";

/** An append-only file in memory that knows how much of it was synced. */
export class MemoryFile implements AppendFile {
  #parts: Uint8Array[] = [];
  #length = 0;
  #synced = 0;

  append(bytes: Uint8Array): void {
    this.#parts.push(bytes);
    this.#length += bytes.length;
  }

  sync(): void {
    this.#synced = this.#length;
  }

  get bytes(): Buffer {
    const bytes = Buffer.concat(this.#parts);
    this.#parts = [bytes];
    return bytes;
  }

  get durable(): Buffer {
    return this.bytes.subarray(0, this.#synced);
  }

  get text(): string {
    return this.bytes.toString("utf8");
  }
}
