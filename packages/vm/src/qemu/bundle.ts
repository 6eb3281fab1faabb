import { execFile } from "node:child_process";
import { existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { chmod, copyFile, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { digestOfValue, parseJson, shape } from "@drydock/evidence";
import { vmError } from "../errors.js";
import { ensureDirectory } from "../jail/directory.js";
import { acquireLock, digestFile } from "../store/index.js";

const BINARY = "qemu-system-x86_64";
const BINARY_PATHS = ["/usr/bin", "/usr/local/bin"].map((directory) => join(directory, BINARY));
const MODULE_DIRECTORY = "/usr/lib/x86_64-linux-gnu/qemu";
/** Emulation is a module of its own in Debian's build. */
const MODULES = ["accel-tcg-x86_64.so"];
const FIRMWARE_DIRECTORIES = ["/usr/share/seabios", "/usr/share/qemu"];
/** The machine's firmware and the option ROM that loads a kernel. */
const FIRMWARE = ["bios-microvm.bin", "linuxboot_dma.bin", "pvh.bin"];
const FRESH_PREFIX = ".new-";
const INTERPRETER = "/lib64/ld-linux-x86-64.so.2";

const fileRecord = shape.object({
  /** Path in the bundle. */
  path: shape.text(256, 1),
  source: shape.text(4096, 1),
  digest: shape.digest,
});

const bundleRecord = shape.object({
  version: shape.text(128, 1),
  files: shape.array(fileRecord, 512, 1),
});

/**
 * QEMU with everything that it loads, copied by digest: part of the sealed inputs, and the only
 * thing that a VMM sees of the host's file system.
 */
export interface VmmBundle {
  /** `qemu`, `lib/`, `modules/`, `firmware/`. */
  readonly directory: string;
  readonly version: string;
  readonly binary: string;
  readonly firmware: readonly { readonly name: string; readonly digest: string }[];
  /** One digest over interpreter, libraries and modules, sorted by name. */
  readonly libraries: string;
  readonly digest: string;
}

/**
 * The bundle of the QEMU that is installed now. Copied again only when one of its files has
 * changed, by identity and change time, which no program can set back.
 *
 * @throws DrydockError VMM_MISSING with the package to install.
 */
export const ensureBundle = async (storeDirectory: string): Promise<VmmBundle> => {
  const bundles = join(storeDirectory, "bundles");
  await mkdir(bundles, { recursive: true, mode: 0o700 });
  const binary = findBinary();
  const known = await readCurrent(bundles, binary);
  if (known !== undefined) return known;
  const lock = await acquireLock(bundles, "bundle");
  try {
    return (await readCurrent(bundles, binary)) ?? (await copyBundle(bundles, binary));
  } finally {
    lock.release();
  }
};

export const findBinary = (): string => {
  const found = BINARY_PATHS.find((path) => existsSync(path));
  if (found === undefined) {
    throw vmError("VMM_MISSING", `${BINARY} is not installed`, {
      fix: "apt-get install qemu-system-x86",
    });
  }
  return realpathSync(found);
};

export const findFirmware = (name: string): string => {
  const found = FIRMWARE_DIRECTORIES.map((directory) => join(directory, name)).find((path) =>
    existsSync(path),
  );
  if (found === undefined) {
    throw vmError("VMM_MISSING", `firmware ${name} is not installed`, {
      fix: "apt-get install qemu-system-data seabios",
    });
  }
  return realpathSync(found);
};

/** Names the sources as they were; `current` points at the bundle that was copied from them. */
const stampOf = (sources: readonly string[]): string =>
  digestOfValue(
    sources.map((path) => {
      const { dev, ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
      return [path, ...[dev, ino, size, mtimeNs, ctimeNs].map(String)];
    }),
  ).slice("sha256:".length);

const readCurrent = async (bundles: string, binary: string): Promise<VmmBundle | undefined> => {
  const current = join(bundles, "current.json");
  if (!existsSync(current)) return undefined;
  const record = shape
    .object({
      sources: shape.array(shape.text(4096, 1), 512, 1),
      stamp: shape.text(64, 64),
      bundle: shape.text(64, 64),
    })
    .read(parseJson(await readFile(current)), "current.json");
  const directory = join(bundles, record.bundle);
  const intact =
    record.sources.includes(binary) &&
    record.sources.every((path) => existsSync(path)) &&
    stampOf(record.sources) === record.stamp &&
    existsSync(directory);
  return intact ? readBundle(directory) : undefined;
};

const copyBundle = async (bundles: string, binary: string): Promise<VmmBundle> => {
  const modules = MODULES.map((name) => join(MODULE_DIRECTORY, name)).filter((path) =>
    existsSync(path),
  );
  const libraries = await closureOf([binary, ...modules]);
  const wanted: readonly { readonly path: string; readonly source: string }[] = [
    { path: "qemu", source: binary },
    { path: "lib/ld-linux-x86-64.so.2", source: realpathSync(INTERPRETER) },
    ...libraries.map((source) => ({ path: `lib/${basename(source)}`, source })),
    ...modules.map((source) => ({ path: `modules/${basename(source)}`, source })),
    ...FIRMWARE.map((name) => ({ path: `firmware/${name}`, source: findFirmware(name) })),
  ];
  const sources = wanted.map(({ source }) => source);
  const stamp = stampOf(sources);
  // We hold the lock: any half-made bundle here is a dead builder's.
  for (const name of readdirSync(bundles).filter((entry) => entry.startsWith(FRESH_PREFIX))) {
    await rm(join(bundles, name), { recursive: true, force: true });
  }
  const fresh = join(bundles, `${FRESH_PREFIX}${process.pid}`);
  const files: shape.Shape<typeof fileRecord>[] = [];
  for (const { path, source } of wanted) {
    const target = join(fresh, path);
    for (const directory of new Set([fresh, dirname(target)])) ensureDirectory(directory, 0o755);
    await copyFile(source, target);
    await chmod(target, path.startsWith("firmware/") ? 0o444 : 0o555);
    files.push({ path, source, digest: (await digestFile(target)).digest });
  }
  files.sort((left, right) => (left.path < right.path ? -1 : 1));
  const record = { version: await versionOf(binary), files };
  await writeFile(join(fresh, "bundle.json"), JSON.stringify(record), { mode: 0o444 });
  const name = digestOfValue(files.map(({ path, digest }) => [path, digest])).slice(7);
  const directory = join(bundles, name);
  if (existsSync(directory)) await rm(fresh, { recursive: true });
  else await rename(fresh, directory);
  await writeFile(join(bundles, ".current"), JSON.stringify({ sources, stamp, bundle: name }));
  await rename(join(bundles, ".current"), join(bundles, "current.json"));
  return readBundle(directory);
};

const readBundle = async (directory: string): Promise<VmmBundle> => {
  const text = await readFile(join(directory, "bundle.json"));
  const record = bundleRecord.read(parseJson(text), "bundle.json");
  const under = (folder: string): typeof record.files =>
    record.files.filter(({ path }) => path.startsWith(folder));
  const binary = record.files.find(({ path }) => path === "qemu");
  if (binary === undefined) {
    throw vmError("VMM_BUNDLE", `${directory} has no qemu`, { fix: `Remove ${directory}.` });
  }
  return {
    directory,
    version: record.version,
    binary: binary.digest,
    firmware: under("firmware/").map(({ path, digest }) => ({ name: basename(path), digest })),
    libraries: digestOfValue(
      [...under("lib/"), ...under("modules/")].map(({ path, digest }) => [path, digest]),
    ),
    digest: `sha256:${basename(directory)}`,
  };
};

/** Every library that the dynamic linker would load: `ldd` asks the linker itself. */
const closureOf = async (programs: readonly string[]): Promise<readonly string[]> => {
  const { stdout } = await promisify(execFile)("ldd", [...programs], {
    env: { PATH: "/usr/bin:/bin", LC_ALL: "C" },
  });
  if (/=> not found/.test(stdout)) {
    throw vmError("VMM_BUNDLE", `${BINARY} lacks a library`, {
      fix: "apt-get install --reinstall qemu-system-x86",
    });
  }
  const found = new Set<string>();
  for (const [, path] of stdout.matchAll(/ => (\/\S+) \(0x/g)) {
    if (path !== undefined) found.add(path);
  }
  return [...found].sort();
};

const versionOf = async (binary: string): Promise<string> => {
  const { stdout } = await promisify(execFile)(binary, ["--version"], { env: {} });
  const [, version] = /^QEMU emulator version (.+)$/m.exec(stdout) ?? [];
  if (version === undefined) throw vmError("VMM_BUNDLE", `${binary} doesn't tell its version`);
  return version.slice(0, 128);
};

/** Bundles that no longer are the current one. @returns how many were removed. */
export const pruneBundles = async (storeDirectory: string): Promise<number> => {
  const bundles = join(storeDirectory, "bundles");
  if (!existsSync(join(bundles, "current.json"))) return 0;
  const current = (await ensureBundle(storeDirectory)).directory;
  const old = readdirSync(bundles).filter(
    (name) => /^[0-9a-f]{64}$/.test(name) && join(bundles, name) !== current,
  );
  for (const name of old) await rm(join(bundles, name), { recursive: true, force: true });
  return old.length;
};
