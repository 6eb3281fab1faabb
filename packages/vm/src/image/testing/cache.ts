import { copyFileSync, existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  adoptFile,
  type Digest,
  objectPath,
  openStore,
  type Store,
  temporaryPath,
} from "../../store/index.js";

/** The store that test files share, so that only the first one downloads packages. */
export const testCache = (): Store =>
  openStore(process.env["DRYDOCK_TEST_CACHE"] ?? join(tmpdir(), "drydock-test-cache"));

/** Copies objects that another store has already. */
export const seedStore = async (
  target: Store,
  from: Store,
  digests: readonly Digest[],
): Promise<void> => {
  for (const digest of digests) {
    const source = objectPath(from, digest);
    if (!existsSync(source)) continue;
    const copy = temporaryPath(target);
    copyFileSync(source, copy);
    await adoptFile(target, copy);
  }
};
