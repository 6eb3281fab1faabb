import {
  closeSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import {
  canonicalBytes,
  DrydockError,
  isJsonObject,
  type JsonValue,
  parseJson,
  quote,
} from "@drydock/evidence";
import { type Snapshot, snapshotOf } from "../snapshot.js";

const SCHEMA = "drydock.appliance-state/v1";
const FILE = "config.json";

/** Thirty times what the largest lists of all kinds take. */
const MAX_STATE_BYTES = 64 * 1024 * 1024;

/** Where an appliance keeps what survives it: a directory of its own. */
export interface Keep {
  /** What was kept; null where nothing was yet. */
  load(): Snapshot | null;
  /** Durable when it returns: whole, or as it was before. */
  save(snapshot: Snapshot): void;
}

/** @throws DrydockError LAB_STATE when the directory isn't the user's own and closed to others */
export const openKeep = (directory: string): Keep => {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const stat = lstatSync(directory);
  if (!stat.isDirectory() || stat.uid !== process.getuid?.() || (stat.mode & 0o077) !== 0) {
    throw damaged(directory, "isn't a directory that is yours alone");
  }
  const file = join(directory, FILE);
  return { load: () => load(file), save: (snapshot) => save(directory, file, snapshot) };
};

/** A file that is renamed into place is whole; its name is durable once the directory is. */
const save = (
  directory: string,
  file: string,
  { configuration, history, digest }: Snapshot,
): void => {
  const draft = `${file}.new`;
  const bytes = canonicalBytes({ schema: SCHEMA, configuration, history, digest });
  withDescriptor(openSync(draft, "w", 0o600), (descriptor) => {
    let written = 0;
    while (written < bytes.length) written += writeSync(descriptor, bytes, written);
    fsyncSync(descriptor);
  });
  renameSync(draft, file);
  withDescriptor(openSync(directory, "r"), fsyncSync);
};

const withDescriptor = (descriptor: number, use: (descriptor: number) => void): void => {
  try {
    use(descriptor);
  } finally {
    closeSync(descriptor);
  }
};

const load = (file: string): Snapshot | null => {
  const bytes = readIfThere(file);
  if (bytes === null) return null;
  const value = parseJson(bytes, {
    maxBytes: MAX_STATE_BYTES,
    maxNodes: MAX_STATE_BYTES,
  });
  if (!isJsonObject(value) || value["schema"] !== SCHEMA) throw damaged(file, "is no state");
  const snapshot = snapshotOf(asKept(value["configuration"]), asKept(value["history"]));
  if (snapshot.digest !== value["digest"]) throw damaged(file, "isn't what was written");
  return snapshot;
};

/** Behind the digest that its writer put beside it: of the shape that it had. */
const asKept = <T>(value: JsonValue | undefined): T => value as T;

const readIfThere = (file: string): Buffer | null => {
  let descriptor: number;
  try {
    descriptor = openSync(file, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
  try {
    if (fstatSync(descriptor).size > MAX_STATE_BYTES) throw damaged(file, "is too long");
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
};

const damaged = (path: string, what: string): DrydockError =>
  new DrydockError("LAB_STATE", `${quote(path)} ${what}`, {
    fix: "name a new directory, in one that is yours alone",
  });
