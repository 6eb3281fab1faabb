import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
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
    const [meta] = await show(tools, [KERNEL_METAPACKAGE]);
    if (meta === undefined) throw unknownPackage(KERNEL_METAPACKAGE);
    const { name, version } = parseExactDependency(meta.get("Depends") ?? "", "linux-image-");
    return describeExactly(tools, [{ name, version }]).then(([kernel]) => {
      if (kernel === undefined) throw unknownPackage(name);
      return kernel;
    });
  },
  closure: async (names) => {
    const scratch = temporaryPath(store);
    try {
      const output = await resolveClosure(tools, scratch, names);
      const wanted = output.split("\n").flatMap((line) => parseUriLine(line) ?? []);
      if (wanted.length > MAX_PACKAGES) {
        throw imageError("IMAGE_BOUND", `the packages need ${wanted.length} others`, {
          fix: `At most ${MAX_PACKAGES} are accepted; ask for fewer.`,
        });
      }
      const described = await describeExactly(tools, wanted);
      return [...described].sort((left, right) => (left.name < right.name ? -1 : 1));
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  },
  fetch: async (packages, report) => {
    const missing = packages.filter(({ digest }) => !hasObject(store, digest));
    if (missing.length === 0) return;
    const bytes = missing.reduce((sum, { size }) => sum + size, 0);
    report({ step: "fetch", detail: `${missing.length} packages, ${mebibytes(bytes)} MiB` });
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
 * apt reads its index and resolves against an empty status file. Its own cache of .deb files is
 * pointed away, because apt prints no line for a package that it finds there.
 */
const resolveClosure = async (
  tools: Tools,
  scratch: string,
  names: readonly string[],
): Promise<string> => {
  mkdirSync(join(scratch, "archives", "partial"), { recursive: true, mode: 0o700 });
  const status = join(scratch, "status");
  writeFileSync(status, "");
  const options = [
    `Dir::State::status=${status}`,
    `Dir::State::extended_states=${join(scratch, "extended")}`,
    `Dir::Cache::archives=${join(scratch, "archives")}`,
    "Dir::Cache::pkgcache=",
    "Dir::Cache::srcpkgcache=",
    "APT::Install-Recommends=false",
    "APT::Install-Suggests=false",
    "Debug::NoLocking=true",
  ];
  try {
    return await tools.run("apt-get", [
      ...options.flatMap((option) => ["-o", option]),
      "--print-uris",
      "--yes",
      "install",
      ...names,
    ]);
  } catch (cause) {
    const found = /Unable to locate package (\S+)/.exec((cause as Error).message)?.[1];
    if (found === undefined) throw cause;
    throw unknownPackage(found, cause);
  }
};

const describeExactly = async (
  tools: Tools,
  wanted: readonly { readonly name: string; readonly version: string }[],
): Promise<readonly DebRef[]> => {
  if (wanted.length === 0) return [];
  const stanzas = await show(
    tools,
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

const show = async (tools: Tools, queries: readonly string[]) => {
  try {
    return parseStanzas(await tools.run("apt-cache", ["show", "--no-all-versions", ...queries]));
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
