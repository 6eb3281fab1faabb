import { parseGlob } from "@drydock/wire";
import type { AdmissionPolicy } from "./admit.js";
import type { Collection } from "./collect.js";
import { collectArtifacts } from "./collect.js";
import { ARTIFACT_LIMITS, type ArtifactLimits } from "./limits.js";
import type { ArtifactStore, ContentWatch } from "./store.js";

/** A member as a hostile writer would put it, field by field. */
export interface RawMember {
  readonly name?: string | Buffer;
  readonly type?: string;
  readonly body?: string | Buffer;
  readonly size?: number | string;
  readonly mode?: number;
  readonly target?: string;
  readonly prefix?: string;
  readonly magic?: string;
  readonly checksum?: number;
  /** Leaves the body without its padding. */
  readonly unpadded?: boolean;
}

export const END = Buffer.alloc(1024);

export const member = (raw: RawMember): Buffer => {
  const block = Buffer.alloc(512);
  const body = Buffer.from(raw.body ?? "");
  const size = raw.size ?? body.length;
  const octal = (value: number, width: number) => `${value.toString(8).padStart(width, "0")}\0`;
  Buffer.from(raw.name ?? "file").copy(block, 0, 0, 100);
  block.write(octal(raw.mode ?? 0o644, 7), 100, "latin1");
  block.write(octal(0, 7) + octal(0, 7), 108, "latin1");
  block.write(typeof size === "string" ? size : octal(size, 11), 124, "latin1");
  block.write(octal(0, 11), 136, "latin1");
  block.write(raw.type ?? "0", 156, "latin1");
  block.write(raw.target ?? "", 157, 100, "utf8");
  block.write(raw.magic ?? "ustar\x0000", 257, "latin1");
  block.write(raw.prefix ?? "", 345, 155, "utf8");
  block.fill(0x20, 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${(raw.checksum ?? sum).toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  const padding = raw.unpadded === true ? 0 : (512 - (body.length % 512)) % 512;
  return Buffer.concat([block, body, Buffer.alloc(padding)]);
};

export const pax = (records: readonly (readonly [string, string])[]): Buffer =>
  member({
    name: "pax",
    type: "x",
    body: records
      .map(([key, value]) => {
        const rest = Buffer.byteLength(` ${key}=${value}\n`);
        const length = [1, 2, 3, 4, 5]
          .map((d) => rest + d)
          .find((n) => String(n).length + rest === n);
        return `${length} ${key}=${value}\n`;
      })
      .join(""),
  });

export const chunksOf = async function* (
  bytes: Buffer,
  sizes: readonly number[] = [bytes.length || 1],
): AsyncGenerator<Buffer> {
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = Math.max(1, sizes[turn % sizes.length] ?? 1);
    yield bytes.subarray(at, at + size);
    at += size;
  }
};

/** Keeps contents by name, as the real store does. */
export const memoryStore = (): ArtifactStore & { readonly files: Map<string, Buffer> } => {
  const files = new Map<string, Buffer>();
  return {
    files,
    begin: async () => {
      const chunks: Buffer[] = [];
      return {
        write: async (chunk) => {
          chunks.push(Buffer.from(chunk));
        },
        commit: async (name) => {
          files.set(name, Buffer.concat(chunks));
        },
        discard: async () => undefined,
      };
    },
  };
};

export const policyWith = (
  limits: Partial<ArtifactLimits> = {},
  globs: readonly string[] = ["**"],
): AdmissionPolicy => ({
  limits: { ...ARTIFACT_LIMITS, ...limits },
  globs: globs.map(parseGlob),
});

export const collect = async (
  parts: readonly Buffer[],
  policy: AdmissionPolicy = policyWith(),
  watch?: ContentWatch,
): Promise<Collection & { readonly stored: ReadonlyMap<string, Buffer> }> => {
  const store = memoryStore();
  const collection = await collectArtifacts(chunksOf(Buffer.concat(parts)), policy, {
    store,
    ...(watch === undefined ? {} : { watch }),
  });
  return { ...collection, stored: store.files };
};
