import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import type { Digest } from "@drydock/evidence";
import type { ArchiveCounts, ArchiveEntry } from "./entry.js";
import { END_OF_ARCHIVE, padding, tarHeader } from "./header.js";

export interface SealedArchive {
  readonly path: string;
  /** `sha256:` and 64 hex digits, of the archive's bytes. */
  readonly digest: Digest;
  /** Size of the archive in bytes. */
  readonly bytes: number;
  readonly counts: ArchiveCounts;
}

const WRITE_BYTES = 1024 * 1024;

/** Writes members in the order given and digests what it wrote. The file must not exist before. */
export class ArchiveWriter {
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #time: number;
  readonly #hash = createHash("sha256");
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #bytes = 0;
  #counts = { files: 0, directories: 0, links: 0, bytes: 0 };

  private constructor(path: string, file: FileHandle, time: number) {
    this.#path = path;
    this.#file = file;
    this.#time = time;
  }

  /** `time` is the modification time of every member, in seconds since the epoch. */
  static async create(path: string, time: number): Promise<ArchiveWriter> {
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
    return new ArchiveWriter(path, await open(path, flags, 0o600), time);
  }

  /** `contents` of a file must have exactly the size that the entry states. */
  async add(entry: ArchiveEntry, contents?: AsyncIterable<Buffer>): Promise<void> {
    await this.#write(tarHeader(entry, this.#time));
    switch (entry.kind) {
      case "directory":
        this.#counts.directories += 1;
        return;
      case "link":
        this.#counts.links += 1;
        return;
      case "file": {
        let written = 0;
        for await (const chunk of contents ?? []) {
          written += chunk.length;
          await this.#write(chunk);
        }
        if (written !== entry.size) throw new RangeError(`${entry.path}: size is not as stated`);
        await this.#write(padding(entry.size));
        this.#counts.files += 1;
        this.#counts.bytes += entry.size;
      }
    }
  }

  async finish(): Promise<SealedArchive> {
    await this.#write(END_OF_ARCHIVE);
    await this.#flush();
    await this.#file.sync();
    await this.#file.close();
    return {
      path: this.#path,
      digest: `sha256:${this.#hash.digest("hex")}`,
      bytes: this.#bytes,
      counts: { ...this.#counts },
    };
  }

  /** Gives up: the half-written file stays for its owner's workspace to remove. */
  async abandon(): Promise<void> {
    await this.#file.close();
  }

  async #write(bytes: Buffer): Promise<void> {
    if (bytes.length === 0) return;
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    if (this.#pendingBytes >= WRITE_BYTES) await this.#flush();
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.concat(this.#pending);
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
    for (let at = 0; at < bytes.length; ) {
      at += (await this.#file.write(bytes, at)).bytesWritten;
    }
  }
}
