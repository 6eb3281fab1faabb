import { type Scan, scanDirectories, searchFor, type Withheld } from "../report/index.js";
import { MAX_SIGHTINGS } from "./starter-protocol.js";

/**
 * Searches what was written for what its supervisor made and nobody else has all of.
 *
 * @returns null when something can't be searched, or there was nothing to search for
 */
export const search = (
  directories: readonly string[],
  withheld: readonly Withheld[] | null,
): Scan | null => {
  if (withheld === null) return null;
  try {
    const scan = scanDirectories(directories, searchFor(withheld));
    return { ...scan, found: scan.found.slice(0, MAX_SIGHTINGS) };
  } catch {
    // Whatever the reason: what wasn't searched isn't clean, and no more has to be known.
    return null;
  }
};
