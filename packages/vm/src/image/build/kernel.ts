import { putBytes, type Store, type StoredObject } from "../../store/index.js";
import { type CpioMember, writeCpio } from "../cpio.js";
import type { DebRef } from "../deb/control.js";
import { unpackDeb } from "../deb/unpack.js";
import { imageError } from "../errors.js";
import type { Tools } from "../tools.js";
import { readContent } from "../tree/content.js";
import { type DirectoryNode, directory } from "../tree/node.js";
import { openSpool } from "../tree/spool.js";
import { findModules, type Module, moduleDependencies, orderModules } from "./modules.js";

const KERNEL = /^vmlinuz-(.+)$/;
const MAX_KERNEL_BYTES = 64 * 1024 * 1024;
const MAX_MODULE_BYTES = 16 * 1024 * 1024;

/**
 * The kernel, and the initial RAM file system that the guest boots into: our static init and the
 * modules that are wanted there, those that reach the disks among them. The root file systems have
 * no modules at all, so a command that becomes root in the guest finds nothing to load.
 */
export const buildKernel = async (
  store: Store,
  tools: Tools,
  deb: DebRef,
  init: Buffer,
  wanted: readonly string[],
): Promise<{ readonly kernel: StoredObject; readonly initrd: StoredObject }> => {
  using spool = openSpool(store);
  const root = directory();
  await unpackDeb(store, tools, spool, root, deb, {
    keep: (path) => path.startsWith("/boot/vmlinuz-") || path.endsWith(".ko"),
  });
  const modules = orderModules(wanted, findModules(root), (module) =>
    moduleDependencies(moduleBytes(module)),
  );
  return {
    kernel: putBytes(store, kernelBytes(root)),
    initrd: putBytes(store, writeCpio(initrdMembers(init, modules))),
  };
};

/** `linux-image-RELEASE`: the release is also what `uname -r` prints in the guest. */
export const kernelRelease = ({ name }: DebRef): string => name.replace(/^linux-image-/, "");

export const initrdMembers = (init: Buffer, modules: readonly Module[]): readonly CpioMember[] => {
  const path = (module: Module): string => `/lib/modules/${module.name}.ko`;
  const order = modules.map((module) => `${path(module)}\n`).join("");
  return [
    ...["/etc", "/lib", "/lib/modules"].map(
      (name): CpioMember => ({ kind: "directory", path: name, mode: 0o755 }),
    ),
    { kind: "file", path: "/init", mode: 0o755, content: init },
    { kind: "file", path: "/etc/modules", mode: 0o644, content: Buffer.from(order) },
    ...modules.map(
      (module): CpioMember => ({
        kind: "file",
        path: path(module),
        mode: 0o644,
        content: moduleBytes(module),
      }),
    ),
  ];
};

const moduleBytes = ({ file }: Module): Buffer => readContent(file.content, MAX_MODULE_BYTES);

const kernelBytes = (root: DirectoryNode): Buffer => {
  const boot = root.entries.get("boot");
  const images =
    boot?.kind === "directory" ? [...boot.entries].filter(([name]) => KERNEL.test(name)) : [];
  const [image, ...others] = images;
  if (image === undefined || others.length > 0 || image[1].kind !== "file") {
    throw imageError(
      "IMAGE_PACKAGE",
      `the kernel package has ${images.length} files /boot/vmlinuz-…`,
    );
  }
  return readContent(image[1].content, MAX_KERNEL_BYTES);
};
