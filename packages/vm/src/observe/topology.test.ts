import assert from "node:assert/strict";
import { test } from "node:test";
import type { KernelObservation } from "./kernel.js";
import {
  descriptorKind,
  isWritable,
  parseInterfaces,
  parseLimit,
  parseMounts,
  parseStatus,
} from "./parse.js";
import {
  compareKernel,
  compareVmm,
  fixedDevices,
  type SealedPlace,
  type SealedTopology,
} from "./topology.js";
import { digestTree, type VmmObservation } from "./vmm.js";

const SEALED: SealedTopology = {
  devices: [
    { id: "disk-root", driver: "virtio-blk-device", parent: "machine" },
    { id: "serial", driver: "virtio-serial-device", parent: "machine" },
  ],
  grantable: [{ id: "port-bulk", driver: "virtserialport", parent: "serial" }],
  disks: [{ device: "disk-root", readOnly: true }],
  chardevs: ["char-bulk", "char-monitor"],
  kvm: false,
  treeDigest: null,
  process: {
    interfaces: ["lo"],
    namespaces: ["mnt", "net"],
    capabilities: [],
    seccomp: 2,
    noNewPrivileges: true,
    mounts: [
      { target: "/", type: "tmpfs", readOnly: true },
      { target: "/vmm", type: "bind", readOnly: true },
    ],
  },
};

const LIMITS = { memoryBytes: 1024, swapBytes: 0, pids: 8, cpuMillis: 1000, io: null };

const PLACE: SealedPlace = {
  uid: 7,
  gid: 8,
  executable: { device: "1", inode: "2" },
  files: [
    { device: "1", inode: "10", writable: false },
    { device: "1", inode: "11", writable: true },
  ],
  limits: LIMITS,
  missingMemberships: [],
};

const namespace = (name: string, separate: boolean) => ({ name, id: `${name}:[1]`, separate });

const KERNEL: KernelObservation = {
  pid: 1,
  startTime: 1,
  interfaces: ["lo"],
  namespaces: [namespace("mnt", true), namespace("net", true), namespace("pid", false)],
  mounts: [
    { target: "/", type: "tmpfs", readOnly: true },
    { target: "/vmm", type: "ext4", readOnly: true },
  ],
  status: {
    uids: [7, 7, 7, 7],
    gids: [8, 8, 8, 8],
    groups: [],
    capabilities: [],
    noNewPrivileges: true,
    seccomp: 2,
    threads: 4,
  },
  limits: { openFiles: 512, coreBytes: 0 },
  descriptors: [
    { kind: "socket", file: null, writable: true },
    { kind: "file", file: { device: "1", inode: "10" }, writable: false },
    { kind: "memory", file: { device: "1", inode: "11" }, writable: true },
  ],
  executable: { device: "1", inode: "2" },
};

const VMM: VmmObservation = {
  devices: [
    { path: "/machine", type: "microvm-machine" },
    { path: "/machine/peripheral/disk-root", type: "virtio-blk-device" },
    { path: "/machine/peripheral/serial", type: "virtio-serial-device" },
    { path: "/machine/peripheral/serial/serial.0", type: "virtio-serial-bus" },
  ],
  treeDigest: "",
  disks: [{ device: "disk-root", readOnly: true }],
  chardevs: ["char-bulk", "char-monitor"],
  nics: [],
  kvm: false,
};

const port = { path: "/machine/peripheral/port-bulk", type: "virtserialport" };

test("a process as sealed matches", () => {
  assert.deepEqual(compareKernel(SEALED, PLACE, KERNEL, LIMITS), { kind: "match" });
});

const status = (change: Partial<KernelObservation["status"]>) => ({
  status: { ...KERNEL.status, ...change },
});

const kernelChanges: readonly (readonly [string, Partial<KernelObservation>])[] = [
  ["interfaces", { interfaces: ["eth0", "lo"] }],
  ["namespace net", { namespaces: [namespace("mnt", true), namespace("net", false)] }],
  ["namespace mnt", { namespaces: [namespace("net", true)] }],
  ["mounts", { mounts: [...KERNEL.mounts, { target: "/x", type: "ext4", readOnly: true }] }],
  ["mounts", { mounts: [{ target: "/", type: "tmpfs", readOnly: false }] }],
  ["uids", status({ uids: [7, 0, 7, 7] })],
  ["gids", status({ gids: [8, 8, 0, 8] })],
  ["supplementary groups", status({ groups: [27] })],
  ["capabilities", status({ capabilities: ["CapEff=0000000000000004"] })],
  ["seccomp", status({ seccomp: 0 })],
  ["no_new_privs", status({ noNewPrivileges: false })],
  ["core limit", { limits: { openFiles: 512, coreBytes: null } }],
  ["executable", { executable: { device: "1", inode: "3" } }],
  [
    "descriptor",
    { descriptors: [{ kind: "file", file: { device: "1", inode: "99" }, writable: false }] },
  ],
  [
    "descriptor",
    { descriptors: [{ kind: "file", file: { device: "1", inode: "10" }, writable: true }] },
  ],
  [
    "descriptor",
    { descriptors: [{ kind: "memory", file: { device: "2", inode: "11" }, writable: false }] },
  ],
  ["descriptor", { descriptors: [{ kind: "kvm", file: null, writable: true }] }],
  ["descriptor", { descriptors: [{ kind: "other", file: null, writable: false }] }],
];
for (const [what, change] of kernelChanges) {
  test(`a KERNEL difference is found and named: ${what} ${JSON.stringify(change).slice(0, 60)}`, () => {
    const found = compareKernel(SEALED, PLACE, { ...KERNEL, ...change }, LIMITS);
    assert.ok(found.kind === "mismatch");
    assert.ok(
      found.differences.length === 1 && found.differences[0]?.startsWith(what),
      String(found.differences),
    );
  });
}

test("limits and memberships are compared too", () => {
  const loose = compareKernel(SEALED, PLACE, KERNEL, { ...LIMITS, pids: null });
  assert.match(JSON.stringify(loose), /effective limits/);
  const outside = compareKernel(SEALED, { ...PLACE, missingMemberships: ["/x"] }, KERNEL, LIMITS);
  assert.match(JSON.stringify(outside), /membership/);
});

test("a machine as sealed matches, with a granted port and without", () => {
  assert.deepEqual(compareVmm(SEALED, VMM), { kind: "match" });
  assert.deepEqual(compareVmm(SEALED, { ...VMM, devices: [...VMM.devices, port] }), {
    kind: "match",
  });
  assert.deepEqual(compareVmm(SEALED, { ...VMM, chardevs: ["char-monitor"] }), { kind: "match" });
});

test("a port of the sealed list may be gone only together with its host end", () => {
  const sealed: SealedTopology = {
    ...SEALED,
    devices: [{ id: "port-a", driver: "virtserialport", parent: "serial" }, ...SEALED.devices],
    chardevs: ["char-a", ...SEALED.chardevs],
  };
  assert.deepEqual(compareVmm(sealed, VMM), { kind: "match" });
  const found = compareVmm(sealed, { ...VMM, chardevs: ["char-a", ...VMM.chardevs] });
  assert.ok(found.kind === "mismatch");
  assert.match(found.differences[0] ?? "", /^device port-a/);
});

const vmmChanges: readonly (readonly [string, Partial<VmmObservation>])[] = [
  ["device disk-root", { devices: VMM.devices.filter(({ path }) => !path.endsWith("disk-root")) }],
  [
    "device serial",
    {
      devices: VMM.devices.map((one) =>
        one.path.endsWith("/serial") ? { ...one, type: "e1000" } : one,
      ),
    },
  ],
  [
    "device /machine/peripheral/extra",
    { devices: [...VMM.devices, { path: "/machine/peripheral/extra", type: "virtserialport" }] },
  ],
  [
    "device /machine/peripheral-anon/",
    {
      devices: [
        ...VMM.devices,
        { path: "/machine/peripheral-anon/device[0]", type: "virtio-net-device" },
      ],
    },
  ],
  ["device port-bulk", { devices: [...VMM.devices, { ...port, type: "virtio-net-device" }] }],
  ["disks", { disks: [{ device: "disk-root", readOnly: false }] }],
  ["disks", { disks: [] }],
  ["host end", { chardevs: ["char-bulk", "char-monitor", "char-x"] }],
  ["network cards", { nics: ["net0"] }],
  ["kvm", { kvm: true }],
];
for (const [what, change] of vmmChanges) {
  test(`a VMM difference is found and named: ${what} ${JSON.stringify(change).slice(0, 60)}`, () => {
    const found = compareVmm(SEALED, { ...VMM, ...change });
    assert.ok(found.kind === "mismatch");
    assert.ok(found.differences[0]?.startsWith(what), String(found.differences));
  });
}

test("a granted port doesn't change the digest of the fixed devices", () => {
  const granted = {
    ...VMM,
    devices: [...VMM.devices, port, { path: `${port.path}/x`, type: "y" }],
  };
  assert.equal(digestTree(fixedDevices(SEALED, granted)), digestTree(VMM.devices));
  const other = {
    ...VMM,
    devices: [...VMM.devices, { path: "/machine/peripheral/port-bulk2", type: "y" }],
  };
  assert.notEqual(digestTree(fixedDevices(SEALED, other)), digestTree(VMM.devices));
});

test("/proc files are read as proc(5) describes them", () => {
  assert.deepEqual(parseInterfaces("Inter-|\n face |\n    lo:       0\neth0:5 0\n"), [
    "eth0",
    "lo",
  ]);
  assert.deepEqual(
    parseMounts(
      "62 41 0:38 / / ro,nosuid - tmpfs d rw\n63 62 1:1 /u /u rw,nodev shared:1 - ext4 x rw\n",
    ),
    [
      { target: "/", type: "tmpfs", readOnly: true },
      { target: "/u", type: "ext4", readOnly: false },
    ],
  );
  assert.throws(() => parseMounts("nonsense\n"), { code: "OBSERVATION" });
  const text = `Name:\tq\nUid:\t1\t2\t3\t4\nGid:\t5\t5\t5\t5\nGroups:\t \nCapInh:\t0000\nCapPrm:\t0000\nCapEff:\t0004\nCapBnd:\t0000\nCapAmb:\t0000\nNoNewPrivs:\t1\nSeccomp:\t2\nThreads:\t3\n`;
  assert.deepEqual(parseStatus(text), {
    uids: [1, 2, 3, 4],
    gids: [5, 5, 5, 5],
    groups: [],
    capabilities: ["CapEff=0004"],
    noNewPrivileges: true,
    seccomp: 2,
    threads: 3,
  });
  assert.throws(() => parseStatus(text.replace("Seccomp:", "X:")), { code: "OBSERVATION" });
  assert.equal(
    parseLimit("Max open files            512      512      files\n", "Max open files"),
    512,
  );
  assert.equal(parseLimit("Max core file size  unlimited  0  bytes\n", "Max core file size"), null);
  assert.equal(isWritable("pos:\t0\nflags:\t02100002\n"), true);
  assert.equal(isWritable("pos:\t0\nflags:\t0100000\n"), false);
});

test("descriptors are told apart by what their link says", () => {
  const kinds: Readonly<Record<string, string>> = {
    "socket:[1]": "socket",
    "pipe:[1]": "pipe",
    "anon_inode:[eventfd]": "event",
    "anon_inode:kvm-vm": "kvm",
    "anon_inode:bpf-map": "other",
    "/memfd:drydock-golden (deleted)": "memory",
    "/dev/null": "device",
    "/dev/kvm": "kvm",
    "/root/.ssh/id": "file",
    "mnt:[4026]": "other",
  };
  for (const [target, kind] of Object.entries(kinds))
    assert.equal(descriptorKind(target), kind, target);
});
