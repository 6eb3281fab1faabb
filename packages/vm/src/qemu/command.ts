import { CONTROL_CHANNEL } from "../vmm.js";
import { CONSOLE_CHARDEV, chardevId, DISKS, diskId, MONITOR_CHARDEV, portId } from "./devices.js";
import {
  type Accelerator,
  CPU_MODEL,
  kernelCommandLine,
  MACHINE,
  type MachineShape,
  TRANSLATION_CACHE_MIB,
} from "./model.js";

/** Descriptor numbers of everything that QEMU gets: it opens no file by its name on the host. */
export interface Descriptors {
  readonly monitor: number;
  readonly console: number;
  readonly channels: Readonly<Record<string, number>>;
  readonly disks: Readonly<Record<(typeof DISKS)[number]["name"], number>> | null;
  /** Guest memory, or null for memory of QEMU's own. */
  readonly memory: number | null;
}

export type Start =
  /** Boot from the kernel in these descriptors. */
  | {
      readonly kind: "boot";
      readonly kernel: number;
      readonly initrd: number;
      readonly extra: string;
    }
  /** Wait for the state, which is told over the monitor. */
  | { readonly kind: "restore" };

const MIB = 1024 * 1024;
const SANDBOX = "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny";
/** Paths in the VMM's private root. */
export const BUNDLE_MOUNT = "/vmm";

/**
 * QEMU's whole command line, without the program's name. Pure: what is sealed is what runs.
 * The machine doesn't run until it is told to (`-S`).
 */
export const qemuArguments = (
  shape: MachineShape,
  start: Start,
  descriptors: Descriptors,
): readonly string[] => [
  ...["-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", "-S"],
  ...["-sandbox", SANDBOX],
  ...["-L", `${BUNDLE_MOUNT}/firmware`],
  ...["-machine", `${MACHINE},memory-backend=ram`],
  ...["-accel", acceleratorOption(shape.accelerator)],
  ...["-cpu", CPU_MODEL[shape.accelerator]],
  ...["-smp", String(shape.vcpus)],
  ...["-m", `${shape.memoryBytes / MIB}M`],
  ...["-object", memoryOption(shape, start, descriptors.memory)],
  ...["-chardev", listener(MONITOR_CHARDEV, descriptors.monitor)],
  ...["-mon", `chardev=${MONITOR_CHARDEV},mode=control`],
  ...["-chardev", listener(CONSOLE_CHARDEV, descriptors.console)],
  ...["-device", `isa-serial,id=console,chardev=${CONSOLE_CHARDEV}`],
  ...["-device", "virtio-serial-device,id=serial"],
  ...Object.entries(descriptors.channels).flatMap(([channel, descriptor]) => [
    "-chardev",
    listener(chardevId(channel), descriptor),
  ]),
  ...["-device", portOption(CONTROL_CHANNEL)],
  ...(descriptors.disks === null ? [] : diskArguments(descriptors.disks)),
  ...startArguments(shape, start),
];

const acceleratorOption = (accelerator: Accelerator): string => {
  switch (accelerator) {
    case "kvm":
      return "kvm";
    case "tcg":
      return `tcg,tb-size=${TRANSLATION_CACHE_MIB}`;
  }
};

/** A golden machine writes its memory to the file; a clone maps it copy-on-write. */
const memoryOption = (shape: MachineShape, start: Start, memory: number | null): string => {
  const size = `size=${shape.memoryBytes}`;
  if (memory === null) return `memory-backend-ram,id=ram,${size}`;
  const share = start.kind === "restore" ? "off" : "on";
  return `memory-backend-file,id=ram,${size},mem-path=/fds/${memory},share=${share}`;
};

const listener = (id: string, descriptor: number): string =>
  `socket,id=${id},fd=${descriptor},server=on,wait=off`;

const portOption = (channel: string): string =>
  `virtserialport,id=${portId(channel)},bus=serial.0,nr=1,chardev=${chardevId(channel)},name=${channel}`;

/**
 * Disks come as descriptors (`/dev/fdset/N`), so that QEMU needs no right to any path. Locks are
 * off: the launcher made the writable disk for this one process. Flushes are off: the disk is
 * thrown away, whatever happens.
 */
const diskArguments = (disks: NonNullable<Descriptors["disks"]>): readonly string[] =>
  DISKS.flatMap(({ name, readOnly }, index) => [
    ...["-add-fd", `fd=${disks[name]},set=${index + 1}`],
    "-blockdev",
    [
      `driver=raw,node-name=node-${name},read-only=${readOnly ? "on" : "off"}`,
      `file.driver=file,file.filename=/dev/fdset/${index + 1},file.locking=off`,
      "cache.no-flush=on",
      ...(readOnly ? [] : ["discard=unmap"]),
    ].join(","),
    ...["-device", `virtio-blk-device,id=${diskId(name)},drive=node-${name},serial=${name}`],
  ]);

const startArguments = (shape: MachineShape, start: Start): readonly string[] => {
  switch (start.kind) {
    case "boot":
      return [
        ...["-kernel", `/fds/${start.kernel}`, "-initrd", `/fds/${start.initrd}`],
        ...["-append", kernelCommandLine(shape.accelerator, start.extra)],
      ];
    case "restore":
      // Not the kernel again: it is in memory already, and loading it costs 35 ms.
      return ["-incoming", "defer"];
  }
};
