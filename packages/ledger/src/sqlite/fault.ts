import { closeSync, openSync } from "node:fs";
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
    const fault = faultOf(error.code);
    throw fault === "LEDGER_UNWRITABLE" && descriptorsAreShort()
      ? ledgerFault("LEDGER_DESCRIPTORS", path, "too few descriptors to open it", error)
      : ledgerFault(fault, path, error.message, error);
  }
};

/** The file, its journal, the journal's index and their directory. */
const DESCRIPTORS = 4;

/** SQLite says only that a file can't be opened, and not why. */
const descriptorsAreShort = (): boolean => {
  const opened: number[] = [];
  try {
    while (opened.length < DESCRIPTORS) opened.push(openSync("/dev/null", "r"));
    return false;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EMFILE" || code === "ENFILE") return true;
    throw error;
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
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
  LEDGER_DESCRIPTORS: "Raise the limit on open files where Drydock is started: ulimit -n 4096.",
};
