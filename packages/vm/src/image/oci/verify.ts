import type { Digest } from "@drydock/evidence";
import { imageError } from "../errors.js";

export interface Identity {
  readonly digest: Digest;
  /** Bytes; compared only where the expectation names them. */
  readonly size?: number | undefined;
}

/** Content is what its digest says, or it is refused. */
export const checkDigest = (what: string, expected: Identity, found: Identity): void => {
  const sameSize = expected.size === undefined || expected.size === found.size;
  if (expected.digest === found.digest && sameSize) return;
  throw imageError(
    "IMAGE_DIGEST",
    `${what} has ${found.size ?? "?"} bytes and the digest ${found.digest}`,
    {
      fix: "The image is damaged or was changed; fetch it again.",
    },
  );
};
