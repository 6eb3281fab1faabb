import { DrydockError, isDrydockError } from "@drydock/evidence";
import type { AcceptanceCode } from "../codes.js";
import { sqlite } from "./library.js";

type StoreFault = Extract<AcceptanceCode, `STORE_${string}`>;

/** Why the store can't be used; nothing may be sent on its word then. */
export const storeFault = (code: StoreFault, what: string, cause?: unknown): DrydockError =>
  new DrydockError(code, `contract store: ${what}`, { fix: FIX[code], cause });

/** Runs `work` and says in the store's words what SQLite objects to. */
export const withFaults = <T>(work: () => T): T => {
  try {
    return work();
  } catch (error) {
    if (isDrydockError(error) || !(error instanceof sqlite().SqliteError)) throw error;
    throw storeFault(faultOf(error.code), error.code, error);
  }
};

const faultOf = (code: string): StoreFault => {
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) return "STORE_BUSY";
  if (/^SQLITE_(FULL|IOERR_WRITE|IOERR_FSYNC)/.test(code)) return "STORE_FULL";
  if (/^SQLITE_(READONLY|PERM|CANTOPEN|AUTH)/.test(code)) return "STORE_UNWRITABLE";
  if (/^SQLITE_(SCHEMA|ERROR)/.test(code)) return "STORE_SCHEMA";
  return "STORE_INTEGRITY";
};

const QUARANTINE = "Send nothing; keep the directory for inspection and look at the appliance.";

const FIX: Readonly<Record<StoreFault, string>> = {
  STORE_DIRECTORY: "Make a directory for it alone: mkdir -m 0700 DIRECTORY.",
  STORE_FILE: QUARANTINE,
  STORE_MISSING: QUARANTINE,
  STORE_KEY: "Use 32 bytes from a cryptographic source.",
  STORE_CLOCK: "Give a clock that counts whole milliseconds since the epoch.",
  STORE_SCHEMA: "Use the version that wrote it.",
  STORE_INTEGRITY: QUARANTINE,
  STORE_ROLLED_BACK: QUARANTINE,
  STORE_ANCHOR: "Make the anchor readable and writable, and check that it is this store's.",
  STORE_UNANCHORED: "Open it with its anchor.",
  STORE_COMMITTED_UNANCHORED: "Make the anchor writable and open the store again.",
  STORE_OCCUPIED: "Wait for it to finish, or end it; then start again.",
  STORE_BUSY: "Wait for the other process to finish.",
  STORE_FULL: "Free disk space where the store is.",
  STORE_UNWRITABLE: "Make the store writable for the user that runs Drydock.",
};
