import { lstatSync, readdirSync } from "node:fs";
import { basename } from "node:path";
import { DrydockError, quote } from "@drydock/evidence";
import { CONTROLLER_UID } from "@drydock/vm";
import type { StateLayout } from "../home/index.js";

/** Besides Drydock's own files a cache may lie there: DRYDOCK_HOME holds both. */
const isOurs = (name: string, layout: StateLayout): boolean =>
  name === "cache" ||
  name.startsWith(basename(layout.ledger)) ||
  [layout.keys, layout.journal, layout.runs, layout.halt].some((path) => basename(path) === name);

/**
 * Guard: a state directory is given to another user and closed to everyone else, so it has to be
 * new, empty, or Drydock's already. `DRYDOCK_HOME=/etc` is a slip of the hand.
 */
export const refuseForeign = (state: string, layout: StateLayout): void => {
  const status = lstatSync(state, { throwIfNoEntry: false });
  // Given to the controller's user by an earlier run: it was looked at then.
  if (status === undefined || (status.isDirectory() && status.uid === CONTROLLER_UID)) return;
  const foreign = status.isDirectory()
    ? readdirSync(state).find((name) => !isOurs(name, layout))
    : ".";
  if (foreign === undefined) return;
  throw new DrydockError(
    "STATE_FOREIGN",
    `${state} holds ${quote(foreign)}, which isn't Drydock's`,
    {
      fix: "Set DRYDOCK_HOME to a directory of its own: a new one, or an empty one.",
    },
  );
};
