import { createHash } from "node:crypto";
import { sealError } from "../errors.js";
import { parseBatchHeader } from "../git/parse-object.js";
import { requireSuccess } from "../git/run.js";
import type { GitProcess, GitRunner } from "../git/runner.js";
import { ByteReader } from "../io/byte-reader.js";
import type { SealLimits } from "../limits.js";
import { type Vault, vaultCall } from "./vault.js";

/** "OID TYPE SIZE" with the longest of each, or a missing object's name. */
const HEADER_BYTES = 256;

/**
 * Reads objects out of a vault, in the order asked for, each checked against its own name: what
 * git hands over is what the commit committed to, or it is refused.
 */
export class ObjectReader {
  readonly #git: GitProcess;
  readonly #reader: ByteReader;
  readonly #vault: Vault;

  constructor(runner: GitRunner, vault: Vault, limits: SealLimits) {
    this.#vault = vault;
    this.#git = runner(
      vaultCall(vault, limits, ["cat-file", "--batch"], {
        outputBytes: limits.totalBytes + limits.files * HEADER_BYTES,
      }),
    );
    this.#reader = new ByteReader(this.#git.stdout, () =>
      sealError("GIT_FAILED", "git cat-file ended inside an object"),
    );
  }

  /** Announces which objects will be read; may be called again before `end`. */
  ask(oids: readonly string[]): void {
    this.#git.stdin.write(oids.map((oid) => `${oid}\n`).join(""));
  }

  /** The next object's bytes. They are trustworthy only once the iteration has ended. */
  async *read(oid: string, type: "blob" | "commit", size?: number): AsyncGenerator<Buffer> {
    const line = await this.#reader.line(HEADER_BYTES);
    if (line === undefined) {
      requireSuccess(await this.#git.exit, "cat-file");
      throw sealError("GIT_FAILED", "git cat-file ended early");
    }
    const header = parseBatchHeader(line.toString("latin1"));
    if (header.kind !== "object" || header.oid !== oid || header.type !== type) {
      throw corrupt(oid, `it is not the ${type} that was asked for`);
    }
    if (size !== undefined && header.size !== size) throw corrupt(oid, "its size is another");
    const hash = createHash(this.#vault.format).update(`${type} ${header.size}\0`);
    for await (const chunk of this.#reader.take(header.size)) {
      hash.update(chunk);
      yield chunk;
    }
    if (hash.digest("hex") !== oid) throw corrupt(oid, "its contents do not match its name");
    await this.#reader.exactly(1);
  }

  async readWhole(oid: string, type: "blob" | "commit", size?: number): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for await (const chunk of this.read(oid, type, size)) chunks.push(chunk);
    return Buffer.concat(chunks);
  }

  async end(): Promise<void> {
    this.#git.stdin.end();
    for await (const _ of this.#reader.rest()) throw corrupt("?", "git sent more than was asked");
    requireSuccess(await this.#git.exit, "cat-file");
  }

  stop(): void {
    this.#git.stop();
    this.#git.stdout.resume();
  }
}

const corrupt = (oid: string, why: string): Error =>
  sealError("SOURCE_CORRUPT", `object ${oid}: ${why}`, { fix: "run git fsck in the source" });
