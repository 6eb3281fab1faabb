import type { CgroupLimits } from "../cgroup/index.js";

/** Accelerators, best first. Which of them works is found by booting, see accelerator.ts. */
export const ACCELERATORS = ["kvm", "tcg"] as const;
export type Accelerator = (typeof ACCELERATORS)[number];

/**
 * The smallest PC: virtio over MMIO, no PCI, no legacy timer or interrupt controller. ACPI stays,
 * because it is how the kernel finds the virtio devices without a per-run command line. One
 * interrupt controller means 8 virtio transports instead of 24: four are used, and QEMU starts 8 ms
 * sooner.
 */
export const MACHINE =
  "microvm,acpi=on,pit=off,pic=off,ioapic2=off,rtc=on,isa-serial=on,auto-kernel-cmdline=off";

/**
 * Under emulation `max` and `Westmere` hang before the first kernel line in a good part of boots;
 * this model booted every time. Under KVM the host's own processor is the only one that is tested.
 */
export const CPU_MODEL: Readonly<Record<Accelerator, string>> = {
  kvm: "host",
  tcg: "qemu64,+ssse3,+sse4.1,+sse4.2,+popcnt",
};

export interface MachineShape {
  readonly accelerator: Accelerator;
  readonly vcpus: number;
  readonly memoryBytes: number;
}

/** Translated code: grows only as far as it is used, and is flushed when full. */
export const TRANSLATION_CACHE_MIB = 256;

/** QEMU's own memory beyond guest RAM: heap, libraries' data, stacks, page tables. */
export const VMM_OVERHEAD_BYTES = 192 * 1024 * 1024;

/** What a VMM of that shape may use; the half processor more is for QEMU's own threads. */
export const vmmLimits = (shape: MachineShape): CgroupLimits => ({
  memoryBytes: vmmMemoryBytes(shape.accelerator, shape.memoryBytes),
  pids: vmmPids(shape.vcpus),
  cpuMillis: shape.vcpus * 1000 + 500,
  io: null,
});

/** All memory that a VMM of that guest may use, for its cgroup. */
const vmmMemoryBytes = (accelerator: Accelerator, guestBytes: number): number =>
  guestBytes +
  VMM_OVERHEAD_BYTES +
  (accelerator === "tcg" ? TRANSLATION_CACHE_MIB * 1024 * 1024 : 0);

/** Threads of a VMM: main, RCU, a pool of up to 64 for disk requests, one per processor. */
const vmmPids = (vcpus: number): number => 72 + vcpus;

/**
 * The firmware isn't asked for disks (EDD), from which nobody boots here: of SeaBIOS in a machine of
 * exactly 2 GiB the kernel's set-up code never got an answer.
 */
const KERNEL_COMMAND_LINE = "console=ttyS0 quiet edd=off reboot=t panic=-1";

/**
 * Emulation has no hardware clock to calibrate against, so the frequency is told. Mitigations
 * guard processes of one guest against each other's speculation: an emulated processor has none.
 * The others leave out what every clone would have to translate before its first command, and what
 * hardens a kernel in which nothing is trusted; the controllers that a guest needs to limit
 * containers of its own stay. A grace period of RCU is waited for at once, because with one
 * processor it is over at once.
 */
const EMULATION_OPTIONS = [
  "tsc_early_khz=2000000 mitigations=off",
  "nowatchdog psi=0 transparent_hugepage=never audit=0 lsm=landlock noautogroup",
  "cgroup_disable=perf_event,hugetlb,misc,rdma",
  "rcupdate.rcu_expedited=1 init_on_alloc=0 hardened_usercopy=off randomize_kstack_offset=off",
].join(" ");

export const kernelCommandLine = (accelerator: Accelerator, extra: string): string =>
  [
    KERNEL_COMMAND_LINE,
    ...(accelerator === "tcg" ? [EMULATION_OPTIONS] : []),
    ...(extra === "" ? [] : [extra]),
  ].join(" ");
