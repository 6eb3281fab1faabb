import { copyFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RecoveryContract } from "@drydock/acceptance";
import { DrydockError } from "@drydock/evidence";
import type { Tampering } from "../model.js";

const FILE = "contracts.sqlite";
/** Where SQLite's header has the version of an application's tables; see its file format §1.3. */
const USER_VERSION_AT = 60;

/** What somebody does to a store's file while nobody has it open. */
export interface Tamperer {
  /** Keeps the file as it is now, for later. */
  remember(): void;
  /** @throws DrydockError LAB_TAMPER when it couldn't be done: then nothing was shown either */
  tamper(how: Tampering, contract: RecoveryContract): void;
}

/** @param aside a directory in which an older copy may lie */
export const tampererOf = (directory: string, aside: string): Tamperer => {
  const file = join(directory, FILE);
  const older = join(aside, "older");
  const rewrite = (change: (bytes: Buffer) => boolean): void => {
    const bytes = readFileSync(file);
    if (!change(bytes)) throw notDone();
    writeFileSync(file, bytes);
  };
  return {
    remember: () => copyFileSync(file, older),
    tamper(how, contract) {
      switch (how) {
        case "older-copy":
          return copyFileSync(older, file);
        case "gone":
          return rmSync(file);
        case "cut":
          return truncateSync(file, readFileSync(file).length / 2);
        case "version":
          return rewrite((bytes) => bytes.writeUInt32BE(0, USER_VERSION_AT) > 0);
        case "state":
          return rewrite((bytes) => spoil(bytes, contract.state));
        case "sealed-fingerprint":
          return rewrite((bytes) => spoil(bytes, contract.verifiedTargetFingerprint ?? ""));
        case "protected-snapshot":
          return rewrite((bytes) => spoil(bytes, contract.artifacts.snapshot));
      }
    },
  };
};

/** Long enough to be found nowhere else. */
const PIECE = 12;

/**
 * Changes one letter of a text wherever it is found. A row may lie on several pages: then a part of
 * it is found that lies on one.
 */
const spoil = (bytes: Buffer, text: string): boolean => {
  for (let from = 0; from === 0 || from + PIECE <= text.length; from += PIECE) {
    const piece = text.slice(from, from + PIECE);
    let found = piece === "" ? -1 : bytes.indexOf(piece, 0, "latin1");
    if (found < 0) continue;
    for (; found >= 0; found = bytes.indexOf(piece, found + 1, "latin1"))
      bytes[found] = bytes[found] === 0x51 ? 0x52 : 0x51;
    return true;
  }
  return false;
};

const notDone = (): DrydockError =>
  new DrydockError("LAB_TAMPER", "what was to be changed isn't in the store's file");
