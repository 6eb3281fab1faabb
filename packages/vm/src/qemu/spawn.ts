import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { errnoOf, vmError } from "../errors.js";
import { type LaunchSpec, launch, type MountStep } from "../jail/launch.js";
import type { Slot } from "../jail/slot.js";
import { type FileIdentity, identifyFile } from "../observe/kernel.js";
import type { MountFact } from "../observe/parse.js";
import {
  CONTROL_CHANNEL,
  EGRESS_CHANNEL,
  type VmEndpoints,
  type VmExit,
  type VmPlace,
  type VmProcess,
} from "../vmm.js";
import type { VmmBundle } from "./bundle.js";
import { BUNDLE_MOUNT, qemuArguments, type Start } from "./command.js";
import type { DiskName } from "./devices.js";
import type { MachineShape } from "./model.js";

/** Open descriptors of this process that the VMM inherits. The caller closes its own afterwards. */
export interface OpenFiles {
  readonly memory: { readonly descriptor: number; readonly sealed: boolean } | null;
  readonly state: number | null;
  readonly disks: Readonly<Record<DiskName, number>> | null;
  readonly kernel: number | null;
  readonly initrd: number | null;
}

export interface QemuLaunch {
  readonly native: string;
  readonly bundle: VmmBundle;
  readonly shape: MachineShape;
  readonly channels: readonly string[];
  /** Appended to the kernel's command line when it boots. */
  readonly kernelExtra: string;
  readonly files: OpenFiles;
  readonly place: VmPlace;
  /** Only a golden machine has one: where it sends its state. */
  readonly extraMounts: readonly MountStep[];
}

export interface QemuProcess extends VmProcess {
  readonly executable: FileIdentity;
  readonly files: readonly (FileIdentity & { readonly writable: boolean })[];
}

/** Kept of a VMM's stderr: enough for its last words. */
const MAX_COMPLAINT_BYTES = 4096;
/** Listening sockets get numbers that no inherited descriptor reaches. */
const FIRST_LISTENER = 32;
/** Files, sockets and eventfds of a VMM; QEMU uses about 40. */
const MAX_OPEN_FILES = 512;

/** The descriptor numbers that QEMU sees, in the order in which files are handed over. */
export const assignDescriptors = (
  files: Readonly<Record<keyof OpenFiles, boolean>>,
  channels: readonly string[],
) => {
  let next = 3;
  const take = (present: boolean): number | null => {
    if (!present) return null;
    next += 1;
    return next - 1;
  };
  const memory = take(files.memory);
  const state = take(files.state);
  const disks = files.disks
    ? { agent: take(true) ?? 0, root: take(true) ?? 0, upper: take(true) ?? 0 }
    : null;
  const kernel = take(files.kernel);
  const initrd = take(files.initrd);
  const monitor = FIRST_LISTENER;
  const console = FIRST_LISTENER + 1;
  const named = Object.fromEntries(
    [CONTROL_CHANNEL, ...channels].map((name, index) => [name, FIRST_LISTENER + 2 + index]),
  );
  return { memory, state, disks, kernel, initrd, monitor, console, channels: named };
};

/** Command line of a machine with these files and channels; pure, so that it can be sealed early. */
export const planArguments = (
  shape: MachineShape,
  present: Readonly<Record<keyof OpenFiles, boolean>>,
  channels: readonly string[],
  kernelExtra: string,
): readonly string[] => {
  const numbers = assignDescriptors(present, channels);
  const start: Start =
    numbers.kernel !== null && numbers.initrd !== null
      ? { kind: "boot", kernel: numbers.kernel, initrd: numbers.initrd, extra: kernelExtra }
      : { kind: "restore" };
  return qemuArguments(shape, start, numbers);
};

/** The VMM's whole file system: QEMU by digest, three devices, its own descriptors. All read-only. */
const jailMounts = (bundle: VmmBundle, kvm: boolean): readonly MountStep[] => [
  { kind: "ro", source: bundle.directory, target: BUNDLE_MOUNT },
  { kind: "link", to: `${BUNDLE_MOUNT}/lib`, target: "/lib64" },
  { kind: "dev" },
  ...(kvm ? [{ kind: "device", name: "kvm" } as const] : []),
  { kind: "fds" },
];

/** What /proc/<pid>/mountinfo has to show for `jailMounts`. */
export const SEALED_MOUNTS: readonly MountFact[] = [
  { target: "/", type: "tmpfs", readOnly: true },
  { target: "/dev", type: "tmpfs", readOnly: true },
  { target: "/fds", type: "proc", readOnly: false },
  { target: BUNDLE_MOUNT, type: "bind", readOnly: true },
];

/** Huge pages for QEMU's heap: it starts in two thirds of the time. */
const ENVIRONMENT = {
  LD_LIBRARY_PATH: `${BUNDLE_MOUNT}/lib`,
  QEMU_MODULE_DIR: `${BUNDLE_MOUNT}/modules`,
  GLIBC_TUNABLES: "glibc.malloc.hugetlb=1",
};

/** Whose the host end of a channel is: nobody else can connect to its socket. */
const ownerOf = (channel: string, slot: Slot): Slot["port"] =>
  channel === EGRESS_CHANNEL ? slot.egress : slot.port;

/** Starts QEMU behind its walls; its sockets accept connections when this returns. */
export const spawnQemu = async (request: QemuLaunch): Promise<QemuProcess> => {
  const { bundle, channels, files, place, shape } = request;
  const present = {
    memory: files.memory !== null,
    state: files.state !== null,
    disks: files.disks !== null,
    kernel: files.kernel !== null,
    initrd: files.initrd !== null,
  };
  const numbers = assignDescriptors(present, channels);
  const handed = [
    files.memory?.descriptor,
    files.state,
    files.disks?.agent,
    files.disks?.root,
    files.disks?.upper,
    files.kernel,
    files.initrd,
  ].filter((descriptor): descriptor is number => typeof descriptor === "number");
  const endpoints = endpointsOf(place, numbers.channels, numbers.state);
  const spec: LaunchSpec = {
    native: request.native,
    program: `${BUNDLE_MOUNT}/qemu`,
    argv: planArguments(shape, present, channels, request.kernelExtra),
    environment: ENVIRONMENT,
    namespaces: ["mnt", "net", "ipc", "uts"],
    root: place.slot.root,
    mounts: [...jailMounts(bundle, shape.accelerator === "kvm"), ...request.extraMounts],
    credentials: place.slot.vmm,
    cgroups: place.cgroups,
    limits: { core: 0, nofile: MAX_OPEN_FILES },
    dieWithParent: true,
    stdio: ["ignore", "ignore", "pipe"],
    descriptors: handed,
    listeners: [
      { number: numbers.monitor, gid: place.slot.port.gid, path: endpoints.monitor },
      { number: numbers.console, gid: place.slot.port.gid, path: endpoints.console },
      ...Object.entries(numbers.channels).map(([name, number]) => ({
        number,
        gid: ownerOf(name, place.slot).gid,
        path: endpoints.channels[name] ?? "",
      })),
    ],
    sealedMemory:
      files.memory?.sealed === true && numbers.memory !== null
        ? { descriptor: numbers.memory, bytes: shape.memoryBytes }
        : null,
  };
  let complaint = "";
  const launched = await launch(spec, ({ stderr }) => {
    stderr?.setEncoding("utf8").on("data", (text: string) => {
      complaint = (complaint + text).slice(-MAX_COMPLAINT_BYTES);
    });
  });
  const { pid, startTime } = launched;
  const exited = launched.exited.then((exit): VmExit => ({ ...exit, complaint }));
  return {
    pid,
    startTime,
    endpoints,
    exited,
    kill: () => {
      try {
        process.kill(pid, "SIGKILL");
      } catch (error) {
        if (errnoOf(error) !== "ESRCH") throw error;
      }
    },
    executable: identifyFile(join(bundle.directory, "qemu")),
    files: handed.map((descriptor) => ({
      ...identifyFile(`/proc/self/fd/${descriptor}`),
      writable: descriptor === files.disks?.upper || descriptor === files.memory?.descriptor,
    })),
  };
};

const endpointsOf = (
  { slot }: VmPlace,
  channels: Readonly<Record<string, number>>,
  state: number | null,
): VmEndpoints => ({
  adapter: "qemu",
  monitor: join(slot.sockets, "monitor"),
  console: join(slot.sockets, "console"),
  channels: Object.fromEntries(
    Object.keys(channels).map((name) => [name, join(slot.sockets, name)]),
  ),
  start: state === null ? { kind: "boot" } : { kind: "restore", state: `fd:${state}` },
});

/** Opens each path, and closes all of them again when one fails. */
export const openAll = <Name extends string>(
  paths: Readonly<Record<Name, string>>,
): Readonly<Record<Name, number>> => {
  const opened: Partial<Record<Name, number>> = {};
  try {
    for (const name of Object.keys(paths) as Name[]) opened[name] = openSync(paths[name], "r");
    return opened as Readonly<Record<Name, number>>;
  } catch (error) {
    for (const descriptor of Object.values(opened)) closeSync(descriptor as number);
    throw vmError("VMM_BUNDLE", `an image file can't be opened: ${(error as Error).message}`, {
      fix: "Run `drydock image build`.",
      cause: error,
    });
  }
};
