import { statSync } from "node:fs";
import { dirname } from "node:path";

/** What exists of a path: itself, or the nearest above it; null when that may not be looked at. */
export const nearest = (
  path: string,
): { readonly path: string; readonly isDirectory: boolean } | null => {
  for (let at = path === "" ? "/" : path; ; at = dirname(at)) {
    try {
      const found = statSync(at, { throwIfNoEntry: false });
      if (found !== undefined) return { path: at, isDirectory: found.isDirectory() };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // Something above it is no directory: that is what will be found.
      if (code !== "ENOTDIR") return null;
    }
    if (at === "/") return null;
  }
};
