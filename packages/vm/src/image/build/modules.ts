import { imageError, quote } from "../errors.js";
import { walk } from "../tree/edit.js";
import type { DirectoryNode, FileNode } from "../tree/node.js";

/** What the guest needs to find its disks and channels; see guest/README.md. */
export const GUEST_MODULES = [
  "virtio_mmio",
  "virtio_console",
  "virtio_blk",
  "erofs",
  "overlay",
] as const;

/** Modules that an image's guests have on request, by what they are for. */
const MODULE_SETS = {
  /**
   * Networks between containers, both ways of writing a boundary's rules, and the answer to which
   * file a socket has, by which a boundary's gate knows its engine.
   */
  containers: [
    "bridge",
    "veth",
    "br_netfilter",
    "nf_conntrack_bridge",
    "nf_conntrack_netlink",
    "nft_meta_bridge",
    "nft_ct",
    "nft_chain_nat",
    "nft_masq",
    "unix_diag",
  ],
  /** A link that leads nowhere, for the address of a stand-in. */
  lab: ["dummy"],
} as const;

export type ModuleSet = keyof typeof MODULE_SETS;

/** @throws DrydockError IMAGE_MODULES for a set that there isn't */
export const parseModuleSet = (name: string): ModuleSet => {
  if (Object.hasOwn(MODULE_SETS, name)) return name as ModuleSet;
  throw imageError("IMAGE_MODULES", `there is no set of modules ${quote(name)}`, {
    fix: `Use one of: ${Object.keys(MODULE_SETS).join(", ")}.`,
  });
};

/** What a guest loads before anything else: what every guest needs, then what was asked for. */
export const guestModules = (sets: readonly ModuleSet[]): readonly string[] => [
  ...GUEST_MODULES,
  ...sets.flatMap((set) => MODULE_SETS[set]),
];

export interface Module {
  readonly name: string;
  /** Absolute path inside the kernel package. */
  readonly path: string;
  readonly file: FileNode;
}

/**
 * The modules in load order: each after those it depends on. The package has no modules.dep
 * (depmod writes it after installation), so the order comes from the modules themselves.
 */
export const orderModules = (
  wanted: readonly string[],
  available: ReadonlyMap<string, Module>,
  dependencies: (module: Module) => readonly string[],
): readonly Module[] => {
  const order: Module[] = [];
  const visit = (name: string, path: readonly string[]): void => {
    if (order.some((module) => module.name === name)) return;
    const module = available.get(name);
    if (module === undefined || path.includes(name)) {
      throw imageError("IMAGE_PACKAGE", `the kernel package has no usable module ${name}`, {
        fix: "The lab needs the kernel of Debian's linux-image-cloud-amd64.",
      });
    }
    for (const dependency of dependencies(module)) visit(dependency, [...path, name]);
    order.push(module);
  };
  for (const name of wanted) visit(name, []);
  return order;
};

export const findModules = (root: DirectoryNode): ReadonlyMap<string, Module> => {
  const modules = new Map<string, Module>();
  for (const { path, node } of walk(root)) {
    const name = /\/([^/]+)\.ko$/.exec(path)?.[1]?.replaceAll("-", "_");
    if (name !== undefined && node.kind === "file") modules.set(name, { name, path, file: node });
  }
  return modules;
};

/** The `depends=` line of a module's .modinfo section, which is NUL-separated text. */
export const moduleDependencies = (elf: Buffer): readonly string[] => {
  const marker = Buffer.from("\0depends=");
  const start = elf.indexOf(marker);
  if (start === -1) return [];
  const from = start + marker.length;
  const text = elf.toString("latin1", from, elf.indexOf(0, from));
  return text === "" ? [] : text.split(",").map((name) => name.replaceAll("-", "_"));
};
