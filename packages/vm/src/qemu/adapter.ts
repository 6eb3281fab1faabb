import { closeSync, openSync, rmSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { digestOfValue } from "@drydock/evidence";
import { readBootId } from "../jail/process.js";
import { RUNTIME_DIRECTORY } from "../jail/slot.js";
import { cont, QmpClient } from "../qmp/index.js";
import type { VmEndpoints, VmmAdapter, VmPlace, VmPlan, VmSpec } from "../vmm.js";
import { type AcceleratorAnswer, chooseAccelerator } from "./accelerator.js";
import { BOOT_DEADLINE_MS, bootGolden, STATE_MOUNT } from "./boot-golden.js";
import { ensureBundle, type VmmBundle } from "./bundle.js";
import { awaitConsoleLine, CANARY_OK } from "./console.js";
import { DISKS, diskId, grantableDevices, sealedChardevs, sealedDevices } from "./devices.js";
import {
  ensureGolden,
  type Golden,
  type GoldenPlaces,
  goldenKey,
  openMemory,
  openState,
} from "./golden.js";
import { connectQemu } from "./machine.js";
import { type Accelerator, CPU_MODEL, MACHINE, type MachineShape } from "./model.js";
import { connectSocket } from "./socket.js";
import {
  openAll,
  planArguments,
  type QemuLaunch,
  type QemuProcess,
  SEALED_MOUNTS,
  spawnQemu,
} from "./spawn.js";
import { withTemporaryPlace } from "./temporary.js";

export interface QemuOptions {
  /** The compiled `drydock-native`. */
  readonly native: string;
  /** Root-only directory for QEMU's bundle, golden snapshots and what was probed. */
  readonly directory: string;
  /** Root-only directory under /run that lists who holds golden memory. */
  readonly registry?: string;
  /** Makes the formatted, empty upper disk of that many bytes at `path`. */
  readonly createUpper: (path: string, bytes: number) => void | Promise<void>;
  /** A golden snapshot is about to be made, which takes as long as a boot. */
  readonly onSnapshot?: () => void;
}

export interface QemuPlan extends VmPlan {
  readonly bundle: VmmBundle;
  readonly shape: MachineShape;
  readonly accelerator: AcceleratorAnswer;
  readonly golden: Golden | null;
}

export interface QemuAdapter extends VmmAdapter<QemuPlan> {
  spawn(plan: QemuPlan, place: VmPlace): Promise<QemuProcess>;
}

const MIB = 1024 * 1024;
/** Enough for a kernel and its first file system; the canary runs nothing else. */
const CANARY_MEMORY_BYTES = 256 * MIB;
/** A KVM that works boots in under a second; one that doesn't, never. */
const CANARY_DEADLINE_MS: Readonly<Record<Accelerator, number>> = {
  kvm: 15_000,
  tcg: BOOT_DEADLINE_MS,
};
const CANARY_OPTION = "drydock.canary";

export const createQemuAdapter = (options: QemuOptions): QemuAdapter => {
  const places: GoldenPlaces = {
    native: options.native,
    directory: join(options.directory, "golden"),
    registry: options.registry ?? join(RUNTIME_DIRECTORY, "golden"),
  };
  return {
    name: "qemu",
    prepare: (spec) => prepare(options, places, spec),
    spawn: (plan, place) => spawnMachine(options, places, plan, place),
    connect: (endpoints: VmEndpoints) => connectQemu(endpoints),
  };
};

const prepare = async (
  options: QemuOptions,
  places: GoldenPlaces,
  spec: VmSpec,
): Promise<QemuPlan> => {
  const bundle = await ensureBundle(options.directory);
  const accelerator = await findAccelerator(options, bundle, spec);
  const shape: MachineShape = {
    accelerator: accelerator.accelerator,
    vcpus: spec.vcpus,
    memoryBytes: spec.memoryBytes,
  };
  const golden =
    spec.start === "cold" ? null : await findGolden(options, places, bundle, shape, spec);
  const restored = golden !== null;
  const argv = planArguments(
    shape,
    { memory: restored, state: restored, disks: true, kernel: !restored, initrd: !restored },
    spec.channels,
    "",
  );
  return {
    spec,
    bundle,
    shape,
    accelerator,
    golden,
    snapshot:
      golden === null
        ? null
        : { ramDigest: golden.record.ramDigest, stateDigest: golden.record.stateDigest },
    identity: {
      adapter: "qemu",
      version: bundle.version,
      binary: bundle.binary,
      firmware: bundle.firmware,
      libraries: bundle.libraries,
      arguments: digestOfValue(argv),
      accelerator: shape.accelerator,
      machine: MACHINE,
      cpuModel: CPU_MODEL[shape.accelerator],
    },
    topology: {
      devices: sealedDevices(),
      grantable: grantableDevices(spec.channels),
      disks: DISKS.map(({ name, readOnly }) => ({ device: diskId(name), readOnly })),
      chardevs: sealedChardevs(spec.channels),
      kvm: shape.accelerator === "kvm",
      treeDigest: golden?.record.treeDigest ?? null,
      process: {
        interfaces: ["lo"],
        namespaces: ["ipc", "mnt", "net", "uts"],
        capabilities: [],
        seccomp: 2,
        noNewPrivileges: true,
        mounts: SEALED_MOUNTS,
      },
    },
  };
};

/** Starts the VMM of one run. The upper disk's name is gone when this returns or throws. */
const spawnMachine = async (
  options: QemuOptions,
  places: GoldenPlaces,
  plan: QemuPlan,
  place: VmPlace,
): Promise<QemuProcess> => {
  const { image } = plan.spec;
  const opened: number[] = [];
  const own = (descriptor: number): number => {
    opened.push(descriptor);
    return descriptor;
  };
  try {
    const upper = own(openSync(place.upper, "r+"));
    const disks = { ...openDisks(plan.spec), upper };
    own(disks.agent);
    own(disks.root);
    const { golden } = plan;
    const start =
      golden === null
        ? { ...openKernel(image), memory: null, state: null }
        : {
            kernel: null,
            initrd: null,
            memory: { descriptor: own(await openMemory(places, golden)), sealed: true },
            state: own(await openState(golden)),
          };
    if (start.kernel !== null) own(start.kernel);
    if (start.initrd !== null) own(start.initrd);
    return await spawnQemu({
      native: options.native,
      bundle: plan.bundle,
      shape: plan.shape,
      channels: plan.spec.channels,
      kernelExtra: "",
      files: { ...start, disks },
      place,
      extraMounts: [],
    });
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
    rmSync(place.upper, { force: true });
  }
};

const findAccelerator = (
  options: QemuOptions,
  bundle: VmmBundle,
  spec: VmSpec,
): Promise<AcceleratorAnswer> => {
  const { kernel, initrd } = spec.image;
  const question = {
    bundle: bundle.digest,
    kernel: kernel.digest,
    initrd: initrd.digest,
    hostBootId: readBootId(),
  };
  return chooseAccelerator(join(options.directory, "accelerator"), question, (accelerator) =>
    bootCanary(options, bundle, spec, accelerator),
  );
};

const bootCanary = async (
  options: QemuOptions,
  bundle: VmmBundle,
  spec: VmSpec,
  accelerator: Accelerator,
): Promise<void> => {
  const shape: MachineShape = { accelerator, vcpus: 1, memoryBytes: CANARY_MEMORY_BYTES };
  await withTemporaryPlace(`canary-${process.pid}`, shape, async (place) => {
    const kernel = openKernel(spec.image);
    const vmm = await closingAfter(Object.values(kernel), () =>
      spawnQemu({
        native: options.native,
        bundle,
        shape,
        channels: [],
        kernelExtra: CANARY_OPTION,
        files: { ...kernel, memory: null, state: null, disks: null },
        place: { ...place, upper: "" },
        extraMounts: [],
      }),
    );
    try {
      const [monitor, consoleStream] = await Promise.all([
        connectSocket(vmm.endpoints.monitor),
        connectSocket(vmm.endpoints.console),
      ]);
      const qmp = await QmpClient.open(monitor);
      const deadline = CANARY_DEADLINE_MS[accelerator];
      await Promise.all([
        awaitConsoleLine(consoleStream, CANARY_OK, vmm.exited, deadline),
        cont(qmp),
      ]);
    } finally {
      vmm.kill();
      await vmm.exited;
    }
  });
};

const findGolden = (
  options: QemuOptions,
  places: GoldenPlaces,
  bundle: VmmBundle,
  shape: MachineShape,
  spec: VmSpec,
): Promise<Golden> => {
  const { image } = spec;
  const present = { memory: true, state: false, disks: true, kernel: true, initrd: true };
  const key = goldenKey({
    bundle: bundle.digest,
    arguments: digestOfValue(planArguments(shape, present, [], "")),
    kernel: image.kernel.digest,
    initrd: image.initrd.digest,
    agent: image.agent.digest,
    root: image.root.digest,
    upperBytes: spec.upperBytes,
    // With KVM the guest has seen the host's own processor.
    processor: shape.accelerator === "kvm" ? (cpus()[0]?.model ?? "") : "",
  });
  return ensureGolden(places, key, shape.memoryBytes, (memory) => {
    options.onSnapshot?.();
    return withTemporaryPlace(`golden-${process.pid}`, shape, (place) =>
      bootGolden({ ...place, upper: "" }, async (socket) => {
        const upper = join(place.slot.directory, "upper");
        await options.createUpper(upper, spec.upperBytes);
        const memoryDescriptor = openSync(memory, "r+");
        const disks = { ...openDisks(spec), upper: openSync(upper, "r+") };
        const kernel = openKernel(image);
        rmSync(upper);
        const request: QemuLaunch = {
          native: options.native,
          bundle,
          shape,
          channels: [],
          kernelExtra: "",
          files: {
            ...kernel,
            disks,
            memory: { descriptor: memoryDescriptor, sealed: false },
            state: null,
          },
          place: { ...place, upper },
          extraMounts: [{ kind: "rw", source: socket, target: STATE_MOUNT }],
        };
        return closingAfter(
          [memoryDescriptor, ...Object.values(disks), ...Object.values(kernel)],
          () => spawnQemu(request),
        );
      }),
    );
  });
};

const openDisks = ({ image }: VmSpec) =>
  openAll({ agent: image.agent.path, root: image.root.path });

const openKernel = ({ kernel, initrd }: VmSpec["image"]) =>
  openAll({ kernel: kernel.path, initrd: initrd.path });

/** The child has its own copies by then. */
const closingAfter = async <T>(
  descriptors: readonly number[],
  use: () => Promise<T>,
): Promise<T> => {
  try {
    return await use();
  } finally {
    for (const descriptor of descriptors) closeSync(descriptor);
  }
};
