import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, lchownSync, lstatSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { DrydockError } from "@drydock/evidence";
import { CONTROLLER_UID } from "@drydock/vm";
import { environmentKey, initialiseKeys, layoutOf, type StateLayout } from "../home/index.js";
import { refuseForeign } from "./refuse-foreign.js";
import { requireRoot } from "./require-root.js";

/**
 * Makes sure that the state directory exists and belongs to the controller's user, who is no other
 * program's. Makes keys when there are none: a first run shouldn't need a ceremony.
 *
 * @returns whether keys were made just now.
 * @throws DrydockError NOT_ROOT, STATE_UNWRITABLE
 */
export const ensureState = (
  state: string,
  now: Date,
): {
  readonly layout: StateLayout;
  readonly madeKeys: boolean;
  readonly environmentKey: Uint8Array;
} => {
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
  const madeKeys = !existsSync(layout.controllerKey);
  if (madeKeys) initialiseKeys(layout, randomBytes(32), now);
  const environment = environmentKey(layout, randomBytes(32));
  giveToController(layout, state);
  return { layout, madeKeys, environmentKey: environment };
};

/** Only what the controller itself keeps: a run's evidence belongs to whoever started it. */
const giveToController = (layout: StateLayout, state: string): void => {
  const own = (path: string): void => {
    const { uid } = lstatSync(path);
    if (uid !== CONTROLLER_UID) lchownSync(path, CONTROLLER_UID, CONTROLLER_UID);
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
