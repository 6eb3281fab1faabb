import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, lchownSync, lstatSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { DrydockError } from "@drydock/evidence";
import { CONTROLLER_UID } from "@drydock/vm";
import {
  environmentKey,
  initialiseKeys,
  isThere,
  layoutOf,
  type StateLayout,
  withKeyLock,
} from "../home/index.js";
import { refuseForeign } from "./refuse-foreign.js";
import { requireRoot } from "./require-root.js";

interface Keys {
  /** Whether the controller's was made just now. */
  readonly madeKeys: boolean;
  readonly environmentKey: Uint8Array;
}

/**
 * Makes sure that the state directory exists and belongs to the controller's user, who is no other
 * program's. Makes keys when there are none: a first run shouldn't need a ceremony.
 *
 * @throws DrydockError NOT_ROOT, STATE_FOREIGN, STATE_UNWRITABLE, KEY_FORMAT, STORE_LOCKED
 */
export const ensureState = async (
  state: string,
  now: Date,
): Promise<Keys & { readonly layout: StateLayout }> => {
  const layout = ensureDirectories(state);
  const keys = await ensureKeys(layout, now);
  giveToController(layout, state);
  return { layout, ...keys };
};

/**
 * The same without keys, and without waiting for anybody.
 *
 * @throws DrydockError NOT_ROOT, STATE_FOREIGN, STATE_UNWRITABLE
 */
export const ensureDirectories = (state: string): StateLayout => {
  requireRoot("a state directory belongs to a user of Drydock's own, so changing it");
  const layout = layoutOf(state);
  refuseForeign(state, layout);
  try {
    for (const directory of [state, layout.keys, layout.journal, layout.runs])
      mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new DrydockError(
      "STATE_UNWRITABLE",
      `cannot make ${state}: ${(cause as Error).message}`,
      {
        fix: "Set DRYDOCK_HOME to a directory on a writable file system.",
        cause,
      },
    );
  }
  giveToController(layout, state);
  return layout;
};

const ensureKeys = async (layout: StateLayout, now: Date): Promise<Keys> => {
  const make = (): Keys => {
    const madeKeys = !isThere(layout.controllerKey);
    if (madeKeys) initialiseKeys(layout, randomBytes(32), now);
    return { madeKeys, environmentKey: environmentKey(layout, randomBytes(32)) };
  };
  const areThere = isThere(layout.controllerKey) && isThere(layout.environmentKey);
  return areThere ? make() : await withKeyLock(layout, make);
};

/** Only what the controller itself keeps: a run's evidence belongs to whoever started it. */
const giveToController = (layout: StateLayout, state: string): void => {
  const own = (path: string): void => {
    const status = lstatSync(path, { throwIfNoEntry: false });
    if (status !== undefined && status.uid !== CONTROLLER_UID) giveUnlessGone(path);
  };
  for (const directory of [state, layout.keys, layout.journal, layout.runs]) {
    own(directory);
    chmodSync(directory, 0o700);
  }
  for (const directory of [layout.keys, layout.journal])
    for (const name of readdirSync(directory)) own(join(directory, name));
  for (const name of readdirSync(state))
    if (name.startsWith("ledger.sqlite")) own(join(state, name));
  if (existsSync(layout.halt)) {
    own(layout.halt);
    for (const name of readdirSync(layout.halt)) own(join(layout.halt, name));
  }
};

/** A lock, a draft or a journal of SQLite's is gone as soon as its process is done with it. */
const giveUnlessGone = (path: string): void => {
  try {
    lchownSync(path, CONTROLLER_UID, CONTROLLER_UID);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
};
