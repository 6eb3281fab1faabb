import { canonicalBytes } from "@drydock/evidence";
import type { Configuration, Revision } from "./configuration.js";

/** As many as an appliance keeps unless it is told otherwise. */
const MAX_REVISIONS = 30;

export const revisionOf = (
  configuration: Configuration,
  description: string,
  seconds: number,
): Revision => ({
  time: seconds,
  description,
  version: configuration.system.base,
  filesize: canonicalBytes(configuration).length,
});

/**
 * With one revision more, the newest first. A revision has its second for a name: of two in one
 * second the later is kept, and where the clock was set back a new one isn't the first.
 */
export const recorded = (history: readonly Revision[], revision: Revision): readonly Revision[] =>
  [revision, ...history.filter(({ time }) => time !== revision.time)]
    .sort((one, other) => other.time - one.time)
    .slice(0, MAX_REVISIONS);

/** As after a crash that left the newest one's file empty: the appliance lists it all the same. */
export const withoutNewestBytes = (history: readonly Revision[]): readonly Revision[] =>
  history.map((revision, id) => (id === 0 ? { ...revision, filesize: 0 } : revision));
