import { join } from "node:path";
import type { Identifier } from "../contract/index.js";
import { withFaults } from "./fault.js";
import { ensureDatabase } from "./file/create.js";
import { requireOwnDirectory } from "./file/own-directory.js";
import { requireOwnFile, requireStillThere } from "./file/own-file.js";
import { type DatabaseShape, requireShape, writeShape } from "./file/schema.js";
import { sqlite } from "./library.js";
import type { AnchorPoint, RollbackAnchor } from "./port.js";

const ANCHOR_SHAPE: DatabaseShape = {
  /** "DDAN" as a big-endian integer. */
  applicationId: 0x44_44_41_4e,
  version: 1,
  statements: [
    `CREATE TABLE anchor (
  store_id TEXT PRIMARY KEY,
  generation INTEGER NOT NULL,
  head TEXT NOT NULL
) STRICT, WITHOUT ROWID`,
  ],
};

const BUSY_TIMEOUT_MS = 5_000;

/**
 * An anchor in a file of its own. It is worth what the place is worth: on the store's own disk it
 * tells a restored backup apart, on a medium that the store's users can't write also an attacker.
 *
 * @param directory as a store's: real, this user's alone, mode 0700; another than the store's.
 * @throws DrydockError STORE_…
 */
export const openAnchorFile = ({
  directory,
  storeId,
}: {
  readonly directory: string;
  readonly storeId: Identifier;
}): RollbackAnchor & { close(): void } => {
  const path = join(requireOwnDirectory(directory), "anchor.sqlite");
  return withFaults(() => {
    ensureDatabase(path, (draft) => writeShape(draft, ANCHOR_SHAPE));
    const identity = requireOwnFile(path);
    const database = new (sqlite())(path, { fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
    try {
      requireStillThere(path, identity);
      database.pragma("synchronous = FULL");
      requireShape(database, ANCHOR_SHAPE);
    } catch (error) {
      database.close();
      throw error;
    }
    const select = database.prepare<[string], { generation: number; head: string }>(
      "SELECT generation, head FROM anchor WHERE store_id = ?",
    );
    // One statement, so that of two processes the one that is behind changes nothing.
    const raise = database.prepare<[AnchorPoint]>(
      `INSERT INTO anchor VALUES (@storeId, @generation, @head) ON CONFLICT (store_id)
         DO UPDATE SET generation = excluded.generation, head = excluded.head
         WHERE excluded.generation > generation`,
    );
    return {
      read: () =>
        withFaults(() => {
          requireStillThere(path, identity);
          const row = select.get(storeId);
          return row === undefined ? null : { storeId, ...row };
        }),
      advance: (point) =>
        withFaults(() => {
          requireStillThere(path, identity);
          raise.run(point);
        }),
      close: () => database.close(),
    };
  });
};
