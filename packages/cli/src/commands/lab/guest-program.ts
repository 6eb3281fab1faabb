import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * A program that is put into guests: beside this one in an installation, and in the tree with what
 * else goes into guests.
 */
export const guestProgram = (name: "conformance.mjs" | "stand-in.mjs"): string => {
  const here = dirname(fileURLToPath(import.meta.url));
  const bundled = join(here, name);
  return existsSync(bundled) ? bundled : join(here, "../../../../../guest/dist", name);
};
