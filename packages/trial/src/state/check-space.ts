import { statfsSync } from "node:fs";
import { DrydockError } from "@drydock/evidence";
import { nearest } from "./nearest.js";

/**
 * What keys, ledger, journal and the logs of a short run take, with room to spare. A ledger whose
 * disk fills as it is made is half a ledger, which nobody can open afterwards.
 */
const MIN_FREE_BYTES = 16 * 1024 * 1024;

/**
 * Guard: a disk that is full already is told of before anything is made there. One that fills
 * later ends the run with what could still be said.
 *
 * @param state the state directory, which may not exist yet
 * @throws DrydockError HOME_FULL
 */
export const requireSpace = (state: string): void => {
  const place = nearest(state);
  // Who may not look is told so by whatever looks next.
  if (place === null) return;
  const { bavail, bsize } = statfsSync(place.path);
  if (bavail * bsize >= MIN_FREE_BYTES) return;
  const free = Math.floor((bavail * bsize) / 1024);
  throw new DrydockError(
    "HOME_FULL",
    `${place.path} has ${free} KiB free, and the evidence of a run is kept there`,
    {
      fix: `Free disk space there (${MIN_FREE_BYTES / 2 ** 20} MiB at least), or set DRYDOCK_HOME to a directory on another disk.`,
    },
  );
};
