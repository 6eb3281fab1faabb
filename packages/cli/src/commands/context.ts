import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { DrydockError } from "@drydock/evidence";
import { type Ledger, NOTHING, openSqliteLedger } from "@drydock/ledger";
import {
  haltSignatureCheck,
  isThere,
  layoutOf,
  loadTrust,
  type StateDirectories,
  type StateLayout,
  stateDirectories,
} from "@drydock/trial";

export interface JsonFlag {
  readonly json?: boolean;
}

export const directories = (): StateDirectories => stateDirectories(process.env, homedir());

export const stateLayout = (): StateLayout => layoutOf(directories().state);

/** One object, or lines for a person. */
export const print = (flags: JsonFlag, value: unknown, text: string): void => {
  process.stdout.write(flags.json === true ? `${JSON.stringify(value)}\n` : text);
};

/** The ledger for verbs that start nothing; null when no run was ever proposed. */
export const openLedgerForReading = (): Ledger | null => {
  const { ledger } = stateLayout();
  if (!isThere(ledger) && !isThere(`${ledger}.initialised`)) return null;
  return openSqliteLedger({
    path: ledger,
    ceiling: NOTHING,
    // Such a verb reserves nothing, whatever the halt state is.
    readHalt: () => ({ halted: true, generation: 0 }),
    clock: () => Date.now(),
  });
};

/** Without a trust file there is no key that could lift a halt, and nothing else follows from it. */
export const haltCheck = () => {
  const { trust } = stateLayout();
  return haltSignatureCheck(isThere(trust) ? loadTrust(trust) : { authorities: [] });
};

/** A file that the command line names. @throws DrydockError FILE_UNREADABLE */
export const readBytes = (path: string): Buffer => {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new DrydockError("FILE_UNREADABLE", `cannot read ${path}: ${(cause as Error).message}`, {
      fix: "Name a file that exists and that you may read.",
      cause,
    });
  }
};
