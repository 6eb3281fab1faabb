import { mkdirSync, renameSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/**
 * Takes evidence away from where evidence is looked for, into a directory of this user alone: it
 * has a value that nothing may keep, and is still the evidence that it has.
 *
 * @returns where it is now
 */
export const quarantineEvidence = (directory: string): string => {
  const quarantine = join(dirname(directory), "quarantine");
  mkdirSync(quarantine, { recursive: true, mode: 0o700 });
  const place = join(quarantine, basename(directory));
  renameSync(directory, place);
  return place;
};
