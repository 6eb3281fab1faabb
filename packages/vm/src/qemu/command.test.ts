import assert from "node:assert/strict";
import { test } from "node:test";
import { launchArguments } from "../jail/launch.js";
import { kernelCommandLine, vmmLimits } from "./model.js";
import { assignDescriptors, planArguments } from "./spawn.js";

const SHAPE = { accelerator: "tcg", vcpus: 2, memoryBytes: 512 * 1024 * 1024 } as const;
const RESTORE = { memory: true, state: true, disks: true, kernel: false, initrd: false };
const BOOT = { memory: false, state: false, disks: true, kernel: true, initrd: true };

test("descriptors are numbered in the order in which they are handed over", () => {
  const numbers = assignDescriptors(RESTORE, ["drydock.bulk.0"]);
  assert.deepEqual(
    [numbers.memory, numbers.state, numbers.disks],
    [3, 4, { agent: 5, root: 6, upper: 7 }],
  );
  assert.deepEqual(numbers.channels, { "drydock.control.0": 34, "drydock.bulk.0": 35 });
  assert.deepEqual(assignDescriptors(BOOT, []).kernel, 6);
});

test("the machine has the sealed devices, a sandbox, and no way to a network", () => {
  for (const present of [RESTORE, BOOT]) {
    const argv = planArguments(SHAPE, present, ["drydock.bulk.0"], "");
    const line = argv.join(" ");
    assert.match(line, /-nodefaults -no-user-config -display none -no-reboot -S/);
    assert.match(
      line,
      /-sandbox on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny/,
    );
    assert.doesNotMatch(
      line,
      /-net|netdev|virtio-net|e1000|user,|-nic|vsock|vhost|-fsdev|virtiofs|-usb|vfio/,
    );
    assert.deepEqual(
      argv
        .filter((_word, index) => argv[index - 1] === "-device")
        .map((word) => word.split(",")[0]),
      [
        "isa-serial",
        "virtio-serial-device",
        "virtserialport",
        ...Array(3).fill("virtio-blk-device"),
      ],
    );
  }
});

test("agent and root are read-only, memory of a clone is private", () => {
  const line = planArguments(SHAPE, RESTORE, [], "").join(" ");
  assert.match(line, /node-name=node-agent,read-only=on/);
  assert.match(line, /node-name=node-root,read-only=on/);
  assert.match(line, /node-name=node-upper,read-only=off/);
  assert.match(line, /mem-path=\/fds\/3,share=off/);
  assert.match(line, /-incoming defer$/);
  assert.doesNotMatch(line, / -kernel /);
});

test("a golden machine shares its memory with the file that becomes the golden memory", () => {
  const line = planArguments(SHAPE, { ...BOOT, memory: true }, [], "").join(" ");
  assert.match(line, /mem-path=\/fds\/3,share=on/);
});

test("a cold machine boots with the words of its accelerator", () => {
  assert.match(
    planArguments(SHAPE, BOOT, [], "drydock.canary").join(" "),
    /-append .*tsc_early_khz=2000000.* drydock\.canary$/,
  );
  assert.doesNotMatch(kernelCommandLine("kvm", ""), /tsc_early_khz|mitigations/);
});

test("a VMM's limit leaves room for its guest and no more than a known overhead", () => {
  const { memoryBytes } = vmmLimits(SHAPE);
  const overhead = memoryBytes - SHAPE.memoryBytes;
  assert.ok(overhead > 256 * 1024 * 1024 && overhead <= 512 * 1024 * 1024);
});

test("the launcher's command line lists every wall", () => {
  const argv = launchArguments(
    {
      native: "/native",
      program: "/vmm/qemu",
      argv: ["-S"],
      environment: { A: "b" },
      namespaces: ["mnt", "net"],
      root: "/root",
      mounts: [{ kind: "ro", source: "/s", target: "/t" }, { kind: "dev" }],
      credentials: { uid: 5, gid: 6 },
      cgroups: ["/cg"],
      limits: { core: 0 },
      dieWithParent: true,
      stdio: ["ignore", "ignore", "ignore"],
      descriptors: [9],
      listeners: [{ number: 32, gid: 7, path: "/sock" }],
      sealedMemory: { descriptor: 3, bytes: 10 },
    },
    42,
    4,
  );
  assert.equal(
    argv.join(" "),
    "run --status 4 --cgroup /cg --limit core=0 --unshare mnt,net --root /root --ro /s /t --dev --uid 5 --gid 6 --die-with-parent 42 --listen 32 7 /sock --keep 3 --sealed-memfd 3 10 --env A=b -- /vmm/qemu -S",
  );
});
