import { existsSync, readdirSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { type Abandoned, clearAbandoned } from "@drydock/lab";
import { isClaimed, type StateLayout } from "@drydock/trial";
import { visible } from "../../terminal/sanitise.js";

/** What was found of a rehearsal whose supervisor was killed. */
export interface LeftRehearsal extends Abandoned {
  readonly run: string;
}

/** Each rehearsal has its stores and its exit report in a directory of its own here. */
export const rehearsalsOf = ({ state }: Pick<StateLayout, "state">): string =>
  join(state, "rehearsals");

/**
 * Removes what is left of rehearsals whose supervisor was killed together with the verb, or with the
 * machine. A verb that lives has seen that by itself, and is at it.
 */
export const sweepRehearsals = (layout: StateLayout): readonly LeftRehearsal[] => {
  const rehearsals = rehearsalsOf(layout);
  return [rehearsals, join(rehearsals, "quarantine")].flatMap((folder) =>
    foldersIn(folder)
      .filter((run) => !isClaimed(layout, run))
      .flatMap((run) => {
        const left = clearAbandoned(join(folder, run)).map((one) => ({ run, ...one }));
        if (left.length > 0) removeIfEmpty(join(folder, run));
        return left;
      }),
  );
};

/** Without an exit report a rehearsal's directory says nothing of anything. */
export const removeIfEmpty = (directory: string): void => {
  if (readdirSync(directory).length === 0) rmdirSync(directory);
};

/** For a person. */
export const describeLeft = ({ run, path, stores, accounts, removed }: LeftRehearsal): string => {
  const parts = [
    `${stores} ${stores === 1 ? "store" : "stores"} that nobody can open any more`,
    ...(accounts ? ["the accounts of its stand-in"] : []),
  ].join(" and ");
  const what = `the supervisor of ${visible(run)} was killed, and left ${parts}`;
  return removed
    ? `${what}: removed`
    : `${what}: COULD NOT BE REMOVED, do it by hand: ${visible(path)}`;
};

const foldersIn = (directory: string): readonly string[] =>
  !existsSync(directory)
    ? []
    : readdirSync(directory, { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => name)
        .sort();
