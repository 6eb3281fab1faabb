import { createHash } from "node:crypto";
import {
  type QmpExecutor,
  qomTree,
  queryBlock,
  queryChardev,
  queryKvm,
  queryNics,
} from "../qmp/index.js";

/** The machine in its VMM's own words. JSON-able: strings, safe integers, booleans, lists. */
export interface VmmObservation {
  /** All devices by QOM path, sorted. */
  readonly devices: readonly { readonly path: string; readonly type: string }[];
  /** SHA-256 over the lines `path SP type LF`. */
  readonly treeDigest: string;
  readonly disks: readonly { readonly device: string; readonly readOnly: boolean }[];
  /** Labels of the host ends that exist, sorted. */
  readonly chardevs: readonly string[];
  readonly nics: readonly string[];
  readonly kvm: boolean;
}

/** Asks for all objects, disks, host ends, network cards and the accelerator. */
export const observeVmm = async (qmp: QmpExecutor): Promise<VmmObservation> => {
  const [devices, blocks, chardevs, nics, kvm] = await Promise.all([
    qomTree(qmp),
    queryBlock(qmp),
    queryChardev(qmp),
    queryNics(qmp),
    queryKvm(qmp),
  ]);
  return {
    devices,
    treeDigest: digestTree(devices),
    disks: blocks
      .map(({ qdev, readOnly }) => ({ device: lastName(qdev), readOnly }))
      .sort((left, right) => compareText(left.device, right.device)),
    chardevs: chardevs.map(({ label }) => label).sort(compareText),
    nics,
    kvm,
  };
};

export const digestTree = (devices: VmmObservation["devices"]): string => {
  const hash = createHash("sha256");
  for (const { path, type } of devices) hash.update(`${path} ${type}\n`);
  return `sha256:${hash.digest("hex")}`;
};

const lastName = (path: string): string => {
  const names = path.split("/").filter((name) => name !== "virtio-backend");
  return names.at(-1) ?? path;
};

/** By UTF-16 units: the same order on every machine. */
const compareText = (left: string, right: string): number =>
  left < right ? -1 : left > right ? 1 : 0;
