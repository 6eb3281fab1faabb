import {
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { DrydockError } from "@drydock/evidence";
import { placePrefix, suffixOf } from "./place-name.js";

/** What a rehearsal has on disk: gone with it, but for the exit report beside it. */
export interface RehearsalPlace {
  readonly standIn: string;
  readonly scenarios: string;
  /** Durable when it returns, and its owner's alone. */
  writeExit(report: object): void;
  /** False when something of it is left. */
  remove(): boolean;
}

/** @throws DrydockError LAB_DIRECTORY */
export const makePlace = (directory: string): RehearsalPlace => {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const stat = lstatSync(directory);
  if (!stat.isDirectory() || stat.uid !== process.getuid?.() || (stat.mode & 0o077) !== 0)
    throw new DrydockError("LAB_DIRECTORY", "the rehearsal's directory isn't its user's alone", {
      fix: "Name a new one, or run chmod 700 on it.",
    });
  const own = mkdtempSync(join(directory, placePrefix()));
  const { standIn, scenarios } = partsOf(own);
  for (const path of [standIn, scenarios]) mkdirSync(path, { mode: 0o700 });
  return {
    standIn,
    scenarios,
    writeExit: (report) => {
      const file = openSync(join(directory, `exit-${suffixOf(basename(own))}.json`), "wx", 0o600);
      try {
        writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      const parent = openSync(directory, "r");
      fsyncSync(parent);
      closeSync(parent);
    },
    remove: () => removePlace(own),
  };
};

/** Where in a place the stand-in keeps what it has, and where the scenarios have their stores. */
export const partsOf = (place: string): Pick<RehearsalPlace, "standIn" | "scenarios"> => ({
  standIn: join(place, "stand-in"),
  scenarios: join(place, "scenarios"),
});

/** Somebody of it may be dying meanwhile, and make one more file: so often it is tried again. */
const REMOVAL = { maxRetries: 5, retryDelay: 50 } as const;

/** False when something of it is left. */
export const removePlace = (place: string): boolean => {
  rmSync(place, { recursive: true, force: true, ...REMOVAL });
  return lstatSync(place, { throwIfNoEntry: false }) === undefined;
};
