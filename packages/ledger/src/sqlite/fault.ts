import { DrydockError, isDrydockError } from "@drydock/evidence";
import type { LedgerFault } from "../port.js";
import { sqlite } from "./library.js";

/** Says in Drydock's words why the store can't be used. Admission is shut in each of the cases. */
export const ledgerFault = (
  code: LedgerFault,
  path: string,
  what: string,
  cause?: unknown,
): DrydockError<LedgerFault> =>
  new DrydockError(code, `ledger ${path}: ${what}`, { fix: FIX[code], cause });

/** Runs `work` and turns SQLite's own errors into ledger faults. */
export const withFaults = <T>(path: string, work: () => T): T => {
  try {
    return work();
  } catch (error) {
    if (isDrydockError(error) || !(error instanceof sqlite().SqliteError)) throw error;
    throw ledgerFault(faultOf(error.code), path, error.message, error);
  }
};

const faultOf = (sqliteCode: string): LedgerFault => {
  if (/^SQLITE_(BUSY|LOCKED)/.test(sqliteCode)) return "LEDGER_BUSY";
  if (/^SQLITE_(FULL|IOERR_WRITE|IOERR_FSYNC)/.test(sqliteCode)) return "LEDGER_FULL";
  if (/^SQLITE_(READONLY|PERM|CANTOPEN|AUTH)/.test(sqliteCode)) return "LEDGER_UNWRITABLE";
  if (/^SQLITE_(SCHEMA|ERROR)/.test(sqliteCode)) return "LEDGER_SCHEMA";
  return "LEDGER_CORRUPT";
};

const FIX: Readonly<Record<LedgerFault, string>> = {
  LEDGER_MISSING:
    "Put the ledger back from a backup, or remove its .initialised file to begin an empty one.",
  LEDGER_BUSY: "Wait for the other Drydock process to finish, then try again.",
  LEDGER_CORRUPT: "Keep the file for inspection and put a sound backup in its place.",
  LEDGER_SCHEMA: "Use the Drydock version that wrote it, or put a sound backup in its place.",
  LEDGER_FULL: "Free disk space on the file system that holds the ledger.",
  LEDGER_UNWRITABLE: "Make the file and its directory writable for the user that runs Drydock.",
};
