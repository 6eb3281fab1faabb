import { readFileSync } from "node:fs";
import { DrydockError } from "@drydock/evidence";
import { isThere } from "./is-there.js";
import type { StateLayout } from "./layout.js";
import { writePrivately } from "./write-privately.js";

const KEY_BYTES = 32;

/**
 * The key under which manifests commit to environments; made when there is none. It is kept apart
 * from the signing keys: rotating those doesn't make every experiment a new one.
 *
 * @param entropy 32 bytes from a cryptographic source.
 * @throws DrydockError KEY_FORMAT
 */
export const environmentKey = (layout: StateLayout, entropy: Uint8Array): Uint8Array => {
  if (!isThere(layout.environmentKey)) writePrivately(layout.environmentKey, entropy);
  const key = readFileSync(layout.environmentKey);
  if (key.length === KEY_BYTES) return key;
  throw new DrydockError("KEY_FORMAT", `${layout.environmentKey} doesn't hold ${KEY_BYTES} bytes`, {
    fix: "Remove it; the next run makes another, and counts as the first attempt of its experiment.",
  });
};
