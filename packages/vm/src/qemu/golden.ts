import { existsSync, openSync, readdirSync } from "node:fs";
import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { digestOf, digestOfValue, parseJson, shape } from "@drydock/evidence";
import { vmError } from "../errors.js";
import { acquireLock } from "../store/index.js";
import { keeperPrefix, openKept, startKeeper } from "./keeper.js";
import { memoryMapReader, type PackedMemory, packMemory, unpackMemory } from "./memory.js";

const FORMAT = "drydock.golden/v1";
const MEMORY = "ram.pages";
const MAP = "ram.map.json";
const STATE = "vm.state";
const RECORD = "golden.json";
/** Device state is about 70 KB. */
const MAX_STATE_BYTES = 16 * 1024 * 1024;

const goldenRecord = shape.object({
  format: shape.literal(FORMAT),
  memoryBytes: shape.integer(1),
  ramDigest: shape.digest,
  mapDigest: shape.digest,
  stateDigest: shape.digest,
  /** Device tree of the golden machine, which every clone has to show again. */
  treeDigest: shape.digest,
});
export type GoldenRecord = shape.Shape<typeof goldenRecord>;

export interface Golden {
  readonly key: string;
  readonly directory: string;
  readonly record: GoldenRecord;
}

/** Where golden snapshots are stored, and where the processes that hold their memory are listed. */
export interface GoldenPlaces {
  readonly native: string;
  /** In the store: root only. */
  readonly directory: string;
  /** Under /run: root only. */
  readonly registry: string;
}

/** What the builder of a golden machine hands back, the machine being gone. */
export interface BuiltMachine {
  readonly state: Buffer;
  readonly treeDigest: string;
}

/** Everything that makes two golden machines differ. */
export type GoldenInputs = Readonly<Record<string, string | number>>;

export const goldenKey = (inputs: GoldenInputs): string =>
  digestOfValue({ format: FORMAT, ...inputs }).slice("sha256:".length);

/**
 * The golden snapshot of that key: booted once, by whoever asks first.
 *
 * @param boot brings a machine, whose memory is the file at `memory`, to where its agent waits,
 * and ends it.
 */
export const ensureGolden = async (
  places: GoldenPlaces,
  key: string,
  memoryBytes: number,
  boot: (memory: string) => Promise<BuiltMachine>,
): Promise<Golden> => {
  const directory = join(places.directory, key);
  await mkdir(places.directory, { recursive: true, mode: 0o700 });
  const known = await readGolden(directory, key);
  if (known !== undefined) return known;
  const lock = await acquireLock(places.directory, key);
  try {
    const meanwhile = await readGolden(directory, key);
    return meanwhile ?? (await buildGolden(places, key, memoryBytes, boot));
  } finally {
    lock.release();
  }
};

/** The state that a clone loads. @throws DrydockError GOLDEN_CORRUPT */
export const openState = async (golden: Golden): Promise<number> => {
  const path = join(golden.directory, STATE);
  requireDigest(await readFile(path), golden.record.stateDigest, path);
  return openSync(path, "r");
};

/**
 * The golden memory as a sealed memfd: the one that is held already, or a new one filled from the
 * store. The descriptor is the caller's.
 *
 * @throws DrydockError GOLDEN_CORRUPT
 */
export const openMemory = async (places: GoldenPlaces, golden: Golden): Promise<number> => {
  const { directory, record } = golden;
  const key = keeperKey(places, golden.key);
  const wanted = { bytes: record.memoryBytes, memory: record.ramDigest };
  const held = openKept(places.registry, key, wanted);
  if (held !== undefined) return held;
  const lock = await acquireLock(places.directory, `fill-${key}`);
  try {
    const meanwhile = openKept(places.registry, key, wanted);
    if (meanwhile !== undefined) return meanwhile;
    const packed = await readMap(golden);
    const keeper = await startKeeper(places.native, places.registry, key, record.memoryBytes);
    try {
      await unpackMemory(join(directory, MEMORY), keeper.path, packed);
      await keeper.publish(record.ramDigest);
    } catch (error) {
      keeper.abandon();
      throw error;
    }
    const filled = openKept(places.registry, key, wanted);
    if (filled === undefined) throw vmError("GOLDEN_BUILD", "the golden memory went away at once");
    return filled;
  } finally {
    lock.release();
  }
};

/**
 * The registry is the machine's and the key says only what went in: each store boots a machine of
 * its own from the same inputs, whose memory fits no other store's state.
 */
const keeperKey = ({ directory }: GoldenPlaces, key: string): string =>
  `${keeperPrefix(directory)}${key}`;

/** Serves one connection on a socket and collects what is sent: where a machine puts its state. */
export const collectState = async (
  path: string,
): Promise<{ readonly server: Server; readonly state: Promise<Buffer> }> => {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, () => resolve());
  });
  const state = new Promise<Buffer>((resolve, reject) => {
    server.once("connection", (socket) => {
      const pieces: Buffer[] = [];
      let size = 0;
      socket.on("data", (piece: Buffer) => {
        size += piece.length;
        pieces.push(piece);
        if (size > MAX_STATE_BYTES) socket.destroy(vmError("GOLDEN_BUILD", "the state is too big"));
      });
      socket.once("error", reject);
      socket.once("end", () => resolve(Buffer.concat(pieces)));
    });
  });
  // Whoever awaits the state sees its failure; a build that fails earlier never asks.
  state.catch(() => undefined);
  return { server, state };
};

/** Removes the snapshots whose key isn't in `keep`. @returns how many. */
export const pruneGolden = async (
  directory: string,
  keep: ReadonlySet<string> = new Set(),
): Promise<number> => {
  if (!existsSync(directory)) return 0;
  const old = readdirSync(directory).filter(
    (name) => (/^[0-9a-f]{64}$/.test(name) && !keep.has(name)) || name.startsWith(FRESH_PREFIX),
  );
  for (const name of old) await rm(join(directory, name), { recursive: true, force: true });
  return old.length;
};

const FRESH_PREFIX = ".new-";

const buildGolden = async (
  places: GoldenPlaces,
  key: string,
  memoryBytes: number,
  boot: (memory: string) => Promise<BuiltMachine>,
): Promise<Golden> => {
  // We hold the key's lock: what another builder of it left is rubbish.
  const fresh = join(places.directory, `${FRESH_PREFIX}${key}`);
  await rm(fresh, { recursive: true, force: true });
  await mkdir(fresh, { mode: 0o700 });
  const kept = keeperKey(places, key);
  const keeper = await startKeeper(places.native, places.registry, kept, memoryBytes);
  try {
    const { state, treeDigest } = await boot(keeper.path);
    const packed = await packMemory(keeper.path, join(fresh, MEMORY), memoryBytes);
    const map = Buffer.from(JSON.stringify(packed.map));
    const record: GoldenRecord = {
      format: FORMAT,
      memoryBytes,
      ramDigest: packed.digest,
      mapDigest: digestOf(map),
      stateDigest: digestOf(state),
      treeDigest,
    };
    await writeSynced(join(fresh, MAP), map);
    await writeSynced(join(fresh, STATE), state);
    await writeSynced(join(fresh, RECORD), Buffer.from(JSON.stringify(record)));
    const directory = join(places.directory, key);
    await rename(fresh, directory);
    await keeper.publish(record.ramDigest);
    return { key, directory, record };
  } catch (error) {
    keeper.abandon();
    await rm(fresh, { recursive: true, force: true });
    throw error;
  }
};

const readGolden = async (directory: string, key: string): Promise<Golden | undefined> => {
  const path = join(directory, RECORD);
  if (!existsSync(path)) return undefined;
  return { key, directory, record: goldenRecord.read(parseJson(await readFile(path)), RECORD) };
};

const readMap = async ({ directory, record }: Golden): Promise<PackedMemory> => {
  const path = join(directory, MAP);
  const text = await readFile(path);
  requireDigest(text, record.mapDigest, path);
  const map = memoryMapReader.read(parseJson(text, { maxNodes: MAX_MAP_NODES }), MAP);
  return { digest: record.ramDigest, map };
};

const MAX_MAP_NODES = 600_000;

const requireDigest = (bytes: Buffer, digest: string, path: string): void => {
  if (digestOf(bytes) === digest) return;
  throw vmError("GOLDEN_CORRUPT", `${path} isn't what was recorded`, {
    fix: "Run `drydock image prune`; the snapshot is built again by the next run.",
  });
};

const writeSynced = async (path: string, bytes: Buffer): Promise<void> => {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
};
