import { homedir } from "node:os";
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
