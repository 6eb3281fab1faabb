import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A directory that is gone when the test ends, also when it fails. */
export const temporaryDirectory = (test: { after(fn: () => void): void }): string => {
  const directory = mkdtempSync(join(tmpdir(), "drydock-test-"));
  // A file that a program of the test makes at the last moment, or a mount of it, is gone a moment later.
  const patience = { maxRetries: 5, retryDelay: 200 };
  test.after(() => rmSync(directory, { recursive: true, force: true, ...patience }));
  return directory;
};
