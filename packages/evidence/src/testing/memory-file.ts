import type { AppendFile } from "../log/file.js";

/** An append-only file in memory that knows how much of it was synced. */
export class MemoryFile implements AppendFile {
  #bytes: Buffer = Buffer.alloc(0);
  #synced = 0;

  append(bytes: Uint8Array): void {
    this.#bytes = Buffer.concat([this.#bytes, bytes]);
  }

  sync(): void {
    this.#synced = this.#bytes.length;
  }

  get bytes(): Buffer {
    return this.#bytes;
  }

  get durable(): Buffer {
    return this.#bytes.subarray(0, this.#synced);
  }

  get text(): string {
    return this.#bytes.toString("utf8");
  }
}
