import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseHierarchies } from "./detect.js";
import { type CgroupLimits, type EffectiveLimits, limitDifferences } from "./limits.js";
import {
  parseAmount,
  parseCgroupMounts,
  parseCounters,
  parseCpuMax,
  parseMemberships,
  parsePids,
} from "./parse.js";
import { parseIoMax } from "./v2.js";

const HYBRID = `30 29 0:27 / /sys/fs/cgroup/unified rw,nosuid - cgroup2 cgroup2 rw,nsdelegate
31 29 0:28 / /sys/fs/cgroup/memory rw,nosuid shared:9 - cgroup cgroup rw,memory
32 29 0:29 /docker/abc /sys/fs/cgroup/cpu\\040x rw - cgroup cgroup rw,cpu,cpuacct
33 29 0:30 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids
`;
const UNIFIED = "30 29 0:27 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n";

test("mounts of both versions are told apart, with escaped paths", () => {
  const mounts = parseCgroupMounts(`${HYBRID}25 1 8:1 / / rw - ext4 /dev/sda rw\n`);
  assert.deepEqual(
    mounts.map(({ version, mountPoint }) => [version, mountPoint]),
    [
      [2, "/sys/fs/cgroup/unified"],
      [1, "/sys/fs/cgroup/memory"],
      [1, "/sys/fs/cgroup/cpu x"],
      [1, "/sys/fs/cgroup/pids"],
    ],
  );
});

test("a hybrid machine gives version 1 where version 2 has no controllers", () => {
  const found = chooseHierarchies(
    parseCgroupMounts(HYBRID),
    parseMemberships("5:memory:/a/b\n4:cpu,cpuacct:/docker/abc/inner\n3:pids:/\n0::/x\n"),
    () => [],
  );
  assert.deepEqual(found.memory, {
    version: 1,
    controller: "memory",
    mountPoint: "/sys/fs/cgroup/memory",
    current: "/sys/fs/cgroup/memory/a/b",
  });
  // In a container the mount shows a subtree: its root is not part of the directory.
  assert.equal(found.cpu?.current, "/sys/fs/cgroup/cpu x/inner");
  assert.equal(found.pids?.current, "/sys/fs/cgroup/pids");
  assert.equal(found.io, undefined);
});

test("a unified machine gives version 2 for what its root offers", () => {
  const found = chooseHierarchies(
    parseCgroupMounts(UNIFIED),
    parseMemberships("0::/user.slice/session-1.scope\n"),
    () => ["cpu", "io", "memory"],
  );
  assert.equal(found.memory?.version, 2);
  assert.equal(found.io?.current, "/sys/fs/cgroup/user.slice/session-1.scope");
  assert.equal(found.pids, undefined);
});

test("amounts: a number is a limit, everything else is none", () => {
  assert.equal(parseAmount("1048576\n"), 1048576);
  for (const text of ["max\n", "-1\n", "9223372036854771712\n", "", "1k", "1.5"]) {
    assert.equal(parseAmount(text), null, text);
  }
});

test("cpu.max, io.max, counters and process lists", () => {
  assert.deepEqual(parseCpuMax("150000 100000\n"), { quota: 150000, period: 100000 });
  assert.deepEqual(parseCpuMax("max 100000\n"), { quota: null, period: 100000 });
  assert.equal(parseCpuMax("150000"), undefined);
  assert.deepEqual(parseIoMax("254:0 rbps=1024 wbps=2048 riops=max wiops=max\n"), {
    device: "254:0",
    readBytesPerSecond: 1024,
    writeBytesPerSecond: 2048,
  });
  assert.equal(parseIoMax("254:0 rbps=max wbps=2048\n"), null);
  assert.equal(parseCounters("low 0\noom_kill 3\nnonsense\n").get("oom_kill"), 3);
  assert.deepEqual(parsePids("1\n22\n"), [1, 22]);
});

test("a limit may be tighter than asked for, never looser or absent", () => {
  const wanted: CgroupLimits = {
    memoryBytes: 1_000_001,
    pids: 10,
    cpuMillis: 1500,
    io: { device: "254:0", readBytesPerSecond: 100, writeBytesPerSecond: 100 },
  };
  const held: EffectiveLimits = {
    memoryBytes: 999_424,
    swapBytes: 0,
    pids: 10,
    cpuMillis: 1500,
    io: { device: "254:0", readBytesPerSecond: 100, writeBytesPerSecond: 100 },
  };
  assert.deepEqual(limitDifferences(wanted, held), []);
  const broken: readonly Partial<EffectiveLimits>[] = [
    { memoryBytes: null },
    { memoryBytes: 1_000_002 },
    { swapBytes: 4096 },
    { swapBytes: null },
    { pids: 11 },
    { cpuMillis: null },
    { io: null },
    { io: { device: "8:0", readBytesPerSecond: 100, writeBytesPerSecond: 100 } },
    { io: { device: "254:0", readBytesPerSecond: 101, writeBytesPerSecond: 100 } },
  ];
  for (const change of broken) {
    assert.notDeepEqual(
      limitDifferences(wanted, { ...held, ...change }),
      [],
      JSON.stringify(change),
    );
  }
});
