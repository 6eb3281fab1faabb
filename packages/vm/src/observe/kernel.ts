import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { errnoOf, vmError } from "../errors.js";
import { identifyProcess, type ProcessIdentity } from "../jail/process.js";
import {
  type DescriptorKind,
  descriptorKind,
  isWritable,
  type MountFact,
  parseInterfaces,
  parseLimit,
  parseMounts,
  parseStatus,
  type StatusFacts,
} from "./parse.js";

/** A process as the kernel shows it. JSON-able: strings, safe integers, booleans, lists. */
export interface KernelObservation {
  readonly pid: number;
  readonly startTime: number;
  /** Of its network namespace, sorted. */
  readonly interfaces: readonly string[];
  readonly namespaces: readonly {
    readonly name: string;
    readonly id: string;
    /** Not the one of the observing process. */
    readonly separate: boolean;
  }[];
  readonly mounts: readonly MountFact[];
  readonly status: StatusFacts;
  readonly limits: { readonly openFiles: number | null; readonly coreBytes: number | null };
  readonly descriptors: readonly DescriptorFact[];
  readonly executable: FileIdentity;
}

export interface FileIdentity {
  /** Decimal, since a device number or an inode may exceed a safe integer. */
  readonly device: string;
  readonly inode: string;
}

export interface DescriptorFact {
  readonly kind: DescriptorKind;
  /** Only of `file`, `memory` and `device`. */
  readonly file: FileIdentity | null;
  readonly writable: boolean;
}

const NAMESPACES = ["cgroup", "ipc", "mnt", "net", "pid", "user", "uts"] as const;

/**
 * Reads what /proc says of a live process. The observer has to be root: nobody else may look.
 *
 * @throws DrydockError OBSERVATION when it isn't that process any more.
 */
export const observeKernel = (process: ProcessIdentity): KernelObservation => {
  const before = requireSame(process);
  const proc = `/proc/${process.pid}`;
  const observed = {
    pid: before.pid,
    startTime: before.startTime,
    interfaces: parseInterfaces(readFileSync(`${proc}/net/dev`, "utf8")),
    namespaces: NAMESPACES.map((name) => {
      const id = readlinkSync(`${proc}/ns/${name}`);
      return { name, id, separate: id !== readlinkSync(`/proc/self/ns/${name}`) };
    }),
    mounts: parseMounts(readFileSync(`${proc}/mountinfo`, "utf8")),
    status: parseStatus(readFileSync(`${proc}/status`, "utf8")),
    limits: {
      openFiles: parseLimit(readFileSync(`${proc}/limits`, "utf8"), "Max open files"),
      coreBytes: parseLimit(readFileSync(`${proc}/limits`, "utf8"), "Max core file size"),
    },
    descriptors: observeDescriptors(process.pid),
    executable: identifyFile(`${proc}/exe`),
  };
  // The number may have been reused while we read: then the facts are of two processes.
  requireSame(process);
  return observed;
};

/** Identity of an open or named file; follows links, so /proc/<pid>/fd/N is the file behind it. */
export const identifyFile = (path: string): FileIdentity => {
  const found = statSync(path, { bigint: true });
  return { device: String(found.dev), inode: String(found.ino) };
};

const observeDescriptors = (pid: number): readonly DescriptorFact[] =>
  readdirSync(`/proc/${pid}/fd`).flatMap((number): DescriptorFact[] => {
    try {
      const path = `/proc/${pid}/fd/${number}`;
      const kind = descriptorKind(readlinkSync(path));
      const named = kind === "file" || kind === "memory" || kind === "device";
      const writable = isWritable(readFileSync(`/proc/${pid}/fdinfo/${number}`, "utf8"));
      return [{ kind, file: named ? identifyFile(path) : null, writable }];
    } catch (error) {
      // Closed between listing and reading: it is not open now, and that is the answer.
      if (errnoOf(error) === "ENOENT") return [];
      throw error;
    }
  });

const requireSame = (process: ProcessIdentity): ProcessIdentity => {
  const found = identifyProcess(process.pid);
  if (found === undefined || found.startTime !== process.startTime) {
    throw vmError("OBSERVATION", `process ${process.pid} is gone`);
  }
  return found;
};
