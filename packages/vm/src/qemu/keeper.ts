import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type Digest, digestOfValue, isDrydockError, parseJson, shape } from "@drydock/evidence";
import { errnoOf, vmError } from "../errors.js";
import { identifyProcess, isProcessAlive, readBootId } from "../jail/process.js";

/** Golden memory that nobody has used for so long is given back to the machine. */
const IDLE_SECONDS = 15 * 60;
const MAX_LINE_BYTES = 64;

const registryRecord = shape.object({
  bootId: shape.pattern(/^[0-9a-f-]{36}$/, "a boot id"),
  pid: shape.integer(1),
  startTime: shape.integer(0),
  descriptor: shape.integer(3, 1023),
  bytes: shape.integer(1),
  /** Digest of the memory: two machines of the same inputs are still two machines. */
  memory: shape.digest,
});
type RegistryRecord = shape.Shape<typeof registryRecord>;

/** A process that holds an empty memfd, to be filled through `path` and then sealed. */
export interface Keeper {
  /** Names the memory for this process and those of the same user. */
  readonly path: string;
  /** Seals the memory, whose digest is given, for ever and lets other runs find it under the key. */
  publish(memory: Digest): Promise<void>;
  /** Ends the keeper, and with it the memory, unless others have it open. */
  abandon(): void;
}

/**
 * Starts a keeper for `bytes` of golden memory. It outlives this process on purpose: later and
 * concurrent runs map the same pages.
 */
export const startKeeper = async (
  native: string,
  directory: string,
  key: string,
  bytes: number,
): Promise<Keeper> => {
  makeDirectory(directory);
  const registry = registryPath(directory, key);
  const child = spawn(native, ["keep", String(bytes), registry, String(IDLE_SECONDS)], {
    stdio: ["pipe", "pipe", "pipe"],
    env: {},
    cwd: "/",
    detached: true,
  });
  const lines = createInterface({ input: child.stdout });
  const nextLine = async (): Promise<string> => {
    const line: unknown = await Promise.race([
      once(lines, "line").then(([text]) => text),
      once(child, "exit").then(() => ""),
    ]);
    return String(line).slice(0, MAX_LINE_BYTES);
  };
  const [, descriptor] = /^memory (\d+)$/.exec(await nextLine()) ?? [];
  const identity = child.pid === undefined ? undefined : identifyProcess(child.pid);
  if (descriptor === undefined || identity === undefined) {
    child.kill("SIGKILL");
    throw vmError("GOLDEN_BUILD", `can't hold ${bytes} bytes of golden memory`, {
      fix: "Run `drydock doctor`; it tests sealed memory.",
    });
  }
  return {
    path: `/proc/${identity.pid}/fd/${descriptor}`,
    publish: async (memory) => {
      child.stdin.write("seal\n");
      if ((await nextLine()) !== "sealed") {
        child.kill("SIGKILL");
        throw vmError("GOLDEN_BUILD", "the golden memory can't be sealed: it is still mapped");
      }
      const record: RegistryRecord = {
        bootId: readBootId(),
        pid: identity.pid,
        startTime: identity.startTime,
        descriptor: Number(descriptor),
        bytes,
        memory,
      };
      // A keeper whose place we take would never learn that nobody can find it any more.
      stopRecorded(registry);
      writeFileSync(`${registry}.new`, JSON.stringify(record), { mode: 0o600 });
      renameSync(`${registry}.new`, registry);
      lines.close();
      for (const stream of child.stdio) stream?.destroy();
      child.unref();
    },
    abandon: () => {
      child.kill("SIGKILL");
    },
  };
};

/**
 * The sealed memory of that key and digest as a descriptor of this process, or undefined when nobody
 * holds it. That it is sealed is checked by the launcher before QEMU starts.
 */
export const openKept = (
  directory: string,
  key: string,
  { bytes, memory }: { readonly bytes: number; readonly memory: Digest },
): number | undefined => {
  const record = readRegistry(registryPath(directory, key));
  if (record?.bytes !== bytes || record.memory !== memory || !isHeld(record)) return undefined;
  try {
    const descriptor = openSync(`/proc/${record.pid}/fd/${record.descriptor}`, "r+");
    // Only now is it sure that the number still was that process when we opened it.
    if (isHeld(record)) {
      touch(registryPath(directory, key));
      return descriptor;
    }
    closeSync(descriptor);
    return undefined;
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw error;
  }
};

/** Begins the keys of one store's keepers, since the registry is the machine's. */
export const keeperPrefix = (goldenDirectory: string): string =>
  `${digestOfValue(realpathSync(goldenDirectory)).slice("sha256:".length)}-`;

export interface StoppedKeepers {
  readonly stopped: number;
  /** Records that can't be read; they are removed, and without one a keeper ends by itself. */
  readonly unreadable: readonly string[];
}

/**
 * Ends keepers, so that the memory of their golden machines is given back. Records of keepers that
 * have ended go as well, whosever they were: a store that was deleted comes for none of its own.
 *
 * @param ofStore the directory of one store's golden machines; without it, those of all stores.
 */
export const stopKeepers = (directory: string, ofStore?: string): StoppedKeepers => {
  const prefix = ofStore === undefined ? "" : keeperPrefix(ofStore);
  let stopped = 0;
  const unreadable: string[] = [];
  for (const name of listRegistry(directory)) {
    const path = join(directory, name);
    if (!name.startsWith(prefix)) {
      forgetEnded(path);
      continue;
    }
    try {
      if (stopRecorded(path)) stopped += 1;
    } catch (error) {
      if (!isDrydockError(error)) throw error;
      rmSync(path, { force: true });
      unreadable.push(path);
    }
  }
  return { stopped, unreadable };
};

/** One that is published between the look and the removal ends by itself, as without any record. */
const forgetEnded = (registry: string): void => {
  try {
    const record = readRegistry(registry);
    if (record !== undefined && !isHeld(record)) rmSync(registry, { force: true });
  } catch (error) {
    // What can't be read is its own store's to name.
    if (!isDrydockError(error)) throw error;
  }
};

const stopRecorded = (registry: string): boolean => {
  const record = readRegistry(registry);
  rmSync(registry, { force: true });
  if (record === undefined || !isHeld(record)) return false;
  process.kill(record.pid, "SIGKILL");
  return true;
};

const SUFFIX = ".json";

const registryPath = (directory: string, key: string): string => join(directory, `${key}${SUFFIX}`);

const makeDirectory = (directory: string): void => {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  chmodSync(directory, 0o700);
};

const listRegistry = (directory: string): readonly string[] => {
  try {
    return readdirSync(directory).filter((name) => name.endsWith(SUFFIX));
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return [];
    throw error;
  }
};

const readRegistry = (path: string): RegistryRecord | undefined => {
  try {
    return registryRecord.read(parseJson(readFileSync(path)), "registry");
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw vmError("GOLDEN_CORRUPT", `${path} is not a registry record`, {
      fix: `Remove ${path}.`,
      cause: error,
    });
  }
};

const isHeld = (record: RegistryRecord): boolean =>
  record.bootId === readBootId() && isProcessAlive(record);

/** The keeper looks at the registry's change time to see whether it is still wanted. */
const touch = (path: string): void => {
  try {
    const now = new Date();
    utimesSync(path, now, now);
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") throw error;
  }
};
