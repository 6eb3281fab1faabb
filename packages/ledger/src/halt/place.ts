import { randomBytes } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { DrydockError, quote } from "@drydock/evidence";
import { type HaltListing, recordName } from "./judge.js";
import { MAX_RECORD_BYTES } from "./record.js";

/**
 * A directory of halt records, each written once under its number: the state is the newest, the
 * receipts are the rest. It is plain files, so it survives a reboot and needs no ledger.
 */
export interface HaltPlace {
  readonly path: string;
  /** `machine` is readable by every user, so that each user's Drydock obeys it. */
  readonly scope: "home" | "machine";
}

/** More halts than this in one place is a program gone wrong, and it stays halted. */
const MAX_RECORDS = 100_000;

export const listHaltPlace = (place: HaltPlace): HaltListing => {
  try {
    if (!lstatSync(place.path).isDirectory()) {
      return unreadable(`${place.path} is not a directory of halt records`);
    }
    // A name with a leading dot is a record that some crashed writer didn't finish.
    const names = readdirSync(place.path).filter((name) => !name.startsWith("."));
    if (names.length === 0) return { kind: "absent" };
    if (names.length > MAX_RECORDS) {
      return unreadable(`${place.path} has more than ${MAX_RECORDS} files`);
    }
    const newest = join(place.path, [...names].sort().at(-1) ?? "");
    if (statSync(newest).size > MAX_RECORD_BYTES) {
      return unreadable(`${newest} is longer than a halt record`);
    }
    return { kind: "records", names, newest: readFileSync(newest) };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return { kind: "absent" };
    return unreadable(message, code === "EACCES" || code === "EPERM");
  }
};

const unreadable = (why: string, forbidden = false): HaltListing => ({
  kind: "unreadable",
  why,
  forbidden,
});

/**
 * Writes one record durably. False when another process has just used that number.
 *
 * @throws DrydockError HALT_UNWRITABLE
 */
export const writeHaltRecord = (
  place: HaltPlace,
  generation: number,
  bytes: Uint8Array,
): boolean => {
  const draft = join(place.path, `.${randomBytes(8).toString("hex")}`);
  try {
    makeDirectory(place);
    writeSynced(draft, bytes, place.scope === "machine" ? 0o644 : 0o600);
    linkSync(draft, join(place.path, recordName(generation)));
    syncDirectory(place.path);
    return true;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return false;
    throw new DrydockError("HALT_UNWRITABLE", `halt: ${quote(message)}`, {
      fix: `Make ${place.path} a directory that you may write, or halt as the user who may.`,
      cause: error,
    });
  } finally {
    rmSync(draft, { force: true });
  }
};

const makeDirectory = (place: HaltPlace): void => {
  const mode = place.scope === "machine" ? 0o755 : 0o700;
  if (mkdirSync(place.path, { recursive: true, mode }) !== undefined) {
    syncDirectory(dirname(place.path));
  }
};

const writeSynced = (path: string, bytes: Uint8Array, mode: number): void => {
  const handle = openSync(path, "wx", mode);
  try {
    writeSync(handle, bytes);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
};

const syncDirectory = (path: string): void => {
  const handle = openSync(path, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
};
