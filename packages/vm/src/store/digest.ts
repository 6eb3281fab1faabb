import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import type { Digest } from "@drydock/evidence";

export type { Digest };

const DIGEST = /^sha256:[0-9a-f]{64}$/;
const READ_CHUNK_BYTES = 1024 * 1024;

export const isDigest = (text: string): boolean => DIGEST.test(text);

export const digestOfHex = (hex: string): Digest => `sha256:${hex}`;

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
