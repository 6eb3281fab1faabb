import { join } from "node:path";
import type { Identifier, Millis } from "../contract/index.js";
import { storeFault, withFaults } from "./fault.js";
import { ensureDatabase } from "./file/create.js";
import { requireOwnDirectory } from "./file/own-directory.js";
import { requireOwnFile, requireStillThere } from "./file/own-file.js";
import { requireShape, writeShape } from "./file/schema.js";
import { emptyHead, headRow } from "./head.js";
import { sqlite } from "./library.js";
import { rowMac } from "./mac.js";
import type { RollbackAnchor } from "./port.js";
import { STORE_SHAPE } from "./schema.js";
import type { StoreParts } from "./sqlite-store.js";
import { prepareStatements } from "./statements.js";

export interface StoreOptions {
  /** A real directory of this user alone, mode 0700. */
  readonly directory: string;
  /** Which store it is: another's file isn't opened as this one. */
  readonly storeId: Identifier;
  /** 32 bytes or more, from outside; isn't kept. Another key opens nothing. */
  readonly key: Uint8Array;
  /** Milliseconds since the epoch. */
  readonly clock: () => Millis;
  readonly anchor?: RollbackAnchor;
}

/** Transactions here take milliseconds: a lock that outlives this is a stuck process. */
const BUSY_TIMEOUT_MS = 5_000;

const FILE_NAME = "contracts.sqlite";

/** @throws DrydockError STORE_… */
export const openParts = (options: StoreOptions): Omit<StoreParts, "hooks"> => {
  const mac = rowMac(options.key, options.storeId);
  if (!/^[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}$/.test(options.storeId)) {
    throw storeFault("STORE_INTEGRITY", "its id isn't an identifier");
  }
  const path = join(requireOwnDirectory(options.directory), FILE_NAME);
  return withFaults(() => {
    ensureDatabase(path, (database) => {
      writeShape(database, STORE_SHAPE);
      prepareStatements(database).putHead(headRow(emptyHead(options.storeId, mac), mac));
    });
    const identity = requireOwnFile(path);
    const database = new (sqlite())(path, { fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
    try {
      requireStillThere(path, identity);
      // With FULL, a lock or a spent nonce that was reported survives a loss of power.
      database.pragma("synchronous = FULL");
      database.pragma("foreign_keys = ON");
      database.pragma("trusted_schema = OFF");
      database.pragma("cell_size_check = ON");
      requireShape(database, STORE_SHAPE);
      return {
        database,
        path,
        identity,
        reading: { statements: prepareStatements(database), storeId: options.storeId, mac },
        clock: options.clock,
        anchor: options.anchor ?? null,
      };
    } catch (error) {
      database.close();
      throw error;
    }
  });
};
