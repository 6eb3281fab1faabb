import { mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  adoptObject,
  digestFile,
  hasObject,
  type Store,
  temporaryPath,
} from "../../store/index.js";
import { imageError, quote } from "../errors.js";
import type { Report } from "../progress.js";
import type { Tools } from "../tools.js";
import {
  type DebRef,
  parseDebRef,
  parseExactDependency,
  parseStanzas,
  parseUriLine,
} from "./control.js";

const KERNEL_METAPACKAGE = "linux-image-cloud-amd64";
/** `--package` can pull in a desktop by mistake. */
const MAX_PACKAGES = 2000;

export interface Apt {
  /** The package that holds the kernel and its modules. */
  readonly kernel: () => Promise<DebRef>;
  /** The packages and all that they depend on, as if nothing were installed; sorted by name. */
  readonly closure: (names: readonly string[]) => Promise<readonly DebRef[]>;
  /** Brings the .deb files into the store; those that are there need no network. */
  readonly fetch: (packages: readonly DebRef[], report: Report) => Promise<void>;
}

/** Debian's packages through the host's own apt: its sources, its keys, its signature checks. */
export const openApt = (store: Store, tools: Tools): Apt => ({
  kernel: async () => {
    const options = emptySystem(store);
    const [meta] = await show(tools, options, [KERNEL_METAPACKAGE]);
    if (meta === undefined) throw unknownPackage(KERNEL_METAPACKAGE);
    const wanted = parseExactDependency(meta.get("Depends") ?? "", "linux-image-");
    const [kernel] = await describeExactly(tools, options, [wanted]);
    if (kernel === undefined) throw unknownPackage(wanted.name);
    return kernel;
  },
  closure: async (names) => {
    const options = emptySystem(store);
    const output = await resolveClosure(tools, options, names);
    const wanted = output.split("\n").flatMap((line) => parseUriLine(line) ?? []);
    if (wanted.length > MAX_PACKAGES) {
      throw imageError("IMAGE_BOUND", `the packages need ${wanted.length} others`, {
        fix: `At most ${MAX_PACKAGES} are accepted; ask for fewer.`,
      });
    }
    const described = await describeExactly(tools, options, wanted);
    return [...described].sort((left, right) => (left.name < right.name ? -1 : 1));
  },
  fetch: async (packages, report) => {
    const missing = packages.filter(({ digest }) => !hasObject(store, digest));
    if (missing.length === 0) return;
    const bytes = missing.reduce((sum, { size }) => sum + size, 0);
    report({ step: "fetch", detail: `packages: ${missing.length}, ${mebibytes(bytes)} MiB` });
    const scratch = temporaryPath(store);
    mkdirSync(scratch, { mode: 0o700 });
    try {
      await download(tools, scratch, missing);
      await adoptAll(store, scratch, missing);
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  },
});

/**
 * Options under which apt sees its index and nothing installed. It has no .deb cache there,
 * because it prints no line for a package that it has; it keeps its parsed index in the store,
 * where it checks by itself whether that is current, because parsing takes most of its time.
 */
const emptySystem = (store: Store): readonly string[] => {
  const directory = store.apt;
  mkdirSync(join(directory, "archives", "partial"), { recursive: true, mode: 0o700 });
  const status = join(directory, "status");
  writeFileSync(status, "");
  // apt compares times to see whether its cache is older than what it was made from.
  utimesSync(status, 0, 0);
  return [
    `Dir::State::status=${status}`,
    `Dir::State::extended_states=${join(directory, "extended")}`,
    `Dir::Cache::archives=${join(directory, "archives")}`,
    `Dir::Cache::pkgcache=${join(directory, "pkgcache.bin")}`,
    "Dir::Cache::srcpkgcache=",
    "APT::Install-Recommends=false",
    "APT::Install-Suggests=false",
    "Debug::NoLocking=true",
  ].flatMap((option) => ["-o", option]);
};

const resolveClosure = async (
  tools: Tools,
  options: readonly string[],
  names: readonly string[],
): Promise<string> => {
  try {
    return await tools.run("apt-get", [...options, "--print-uris", "--yes", "install", ...names]);
  } catch (cause) {
    const found = /Unable to locate package (\S+)/.exec((cause as Error).message)?.[1];
    if (found === undefined) throw cause;
    throw unknownPackage(found, cause);
  }
};

const describeExactly = async (
  tools: Tools,
  options: readonly string[],
  wanted: readonly { readonly name: string; readonly version: string }[],
): Promise<readonly DebRef[]> => {
  if (wanted.length === 0) return [];
  const stanzas = await show(
    tools,
    options,
    wanted.map(({ name, version }) => `${name}=${version}`),
  );
  return wanted.map(({ name, version }) => {
    const stanza = stanzas.find(
      (candidate) => candidate.get("Package") === name && candidate.get("Version") === version,
    );
    if (stanza === undefined) throw unknownPackage(name);
    return parseDebRef(stanza);
  });
};

const show = async (tools: Tools, options: readonly string[], queries: readonly string[]) => {
  try {
    return parseStanzas(
      await tools.run("apt-cache", [...options, "show", "--no-all-versions", ...queries]),
    );
  } catch (cause) {
    if (!(cause as Error).message.includes("No packages found")) throw cause;
    throw unknownPackage(queries[0] ?? "?", cause);
  }
};

const download = async (
  tools: Tools,
  directory: string,
  packages: readonly DebRef[],
): Promise<void> => {
  try {
    await tools.run(
      "apt-get",
      // The directory is root's alone, so apt's own download user could not write to it.
      [
        "-o",
        "APT::Sandbox::User=root",
        "download",
        ...packages.map(({ name, version, architecture }) =>
          architecture === "all" ? `${name}=${version}` : `${name}:${architecture}=${version}`,
        ),
      ],
      { cwd: directory },
    );
  } catch (cause) {
    throw imageError("IMAGE_PACKAGE", `cannot download packages: ${(cause as Error).message}`, {
      fix: "Check the network, run `apt-get update`, and try again.",
      cause,
    });
  }
};

const adoptAll = async (
  store: Store,
  directory: string,
  packages: readonly DebRef[],
): Promise<void> => {
  const expected = new Map(packages.map((ref) => [ref.digest as string, ref]));
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    const found = await digestFile(path);
    if (!expected.delete(found.digest)) {
      throw imageError(
        "IMAGE_DIGEST",
        `${quote(name)} has a digest that apt's index does not list`,
        {
          fix: "Run `apt-get update` and try again.",
        },
      );
    }
    adoptObject(store, path, found);
  }
  const [absent] = expected.values();
  if (absent !== undefined) {
    throw imageError("IMAGE_PACKAGE", `apt did not download ${absent.name} ${absent.version}`, {
      fix: "Run `apt-get update` and try again.",
    });
  }
};

const unknownPackage = (name: string, cause?: unknown) =>
  imageError("IMAGE_PACKAGE", `apt knows no package ${quote(name)}`, {
    fix: "Check the name; run `apt-get update`.",
    cause,
  });

const mebibytes = (bytes: number): number => Math.ceil(bytes / 1024 ** 2);
