import { createHash } from "node:crypto";
import { open } from "node:fs/promises";

/** `sha256:` and 64 lower-case hexadecimal digits. */
export type Digest = `sha256:${string}`;

const DIGEST = /^sha256:[0-9a-f]{64}$/;
const READ_CHUNK_BYTES = 1024 * 1024;

export const isDigest = (text: string): text is Digest => DIGEST.test(text);

export const digestOfHex = (hex: string): Digest => `sha256:${hex}`;

export const digestBytes = (bytes: Uint8Array | string): Digest =>
  digestOfHex(createHash("sha256").update(bytes).digest("hex"));

/** Digest and size in bytes of a file's content, read in bounded pieces. */
export const digestFile = async (path: string): Promise<{ digest: Digest; size: number }> => {
  const hash = createHash("sha256");
  const buffer = Buffer.allocUnsafe(READ_CHUNK_BYTES);
  const file = await open(path, "r");
  try {
    let size = 0;
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, null);
      if (bytesRead === 0) return { digest: digestOfHex(hash.digest("hex")), size };
      hash.update(buffer.subarray(0, bytesRead));
      size += bytesRead;
    }
  } finally {
    await file.close();
  }
};
