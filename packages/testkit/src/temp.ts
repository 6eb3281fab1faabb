import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A directory that is gone when the test ends, also when it fails. */
export const temporaryDirectory = (test: { after(fn: () => void): void }): string => {
  const directory = mkdtempSync(join(tmpdir(), "drydock-test-"));
  test.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
};
