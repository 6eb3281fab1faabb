import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { describe, test } from "node:test";
import { identifyProcess, isProcessAlive } from "../jail/process.js";
import { membersOf } from "./group.js";
import {
  type Cgroup,
  type CgroupLimits,
  createCgroup,
  detectHierarchies,
  joinFiles,
  missingMemberships,
  planCgroup,
  readLimits,
  readUsage,
  removeCgroup,
  selfTestCgroup,
} from "./index.js";

const MIB = 1024 * 1024;
const LIMITS: CgroupLimits = { memoryBytes: 64 * MIB, pids: 20, cpuMillis: 500, io: null };
let groups = 0;

describe("a run's cgroup on this machine", () => {
  const create = (t: { after(fn: () => unknown): void }, limits = LIMITS): Cgroup => {
    groups += 1;
    const cgroup = planCgroup(`drydock-test-${process.pid}-${groups}`, limits);
    t.after(() => removeCgroup(directoriesOf(cgroup)));
    createCgroup(cgroup, limits);
    return cgroup;
  };

  /** A shell that has joined the group and then runs the script. */
  const inside = (cgroup: Cgroup, script: string) => {
    const join = joinFiles(cgroup)
      .map((path) => `echo $$ > ${path}`)
      .join(" && ");
    // In braces: of `a && b & c` a shell would do `a && b` aside, and `c` without having joined.
    return ["-c", `${join} && {\n${script}\n}`];
  };

  test("the kernel holds every limit as asked", (t) => {
    const cgroup = create(t);
    const { memoryBytes, swapBytes, pids, cpuMillis } = readLimits(cgroup);
    assert.deepEqual(
      { memoryBytes, swapBytes, pids, cpuMillis },
      { memoryBytes: 64 * MIB, swapBytes: 0, pids: 20, cpuMillis: 500 },
    );
  });

  test("a process that joined is a member everywhere, and another is nowhere", async (t) => {
    const cgroup = create(t);
    const child = spawn("/bin/sh", inside(cgroup, "echo in; sleep 1000"), {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(child.stdout, "data");
    assert.deepEqual(missingMemberships(cgroup, child.pid ?? 0), []);
    assert.deepEqual(missingMemberships(cgroup, process.pid), directoriesOf(cgroup));
  });

  test("too many processes are refused, and the same script runs outside", (t) => {
    const script = "for i in $(seq 30); do sleep 5 & done; kill $(jobs -p); echo all";
    assert.match(spawnSync("/bin/sh", ["-c", script], { encoding: "utf8" }).stdout, /all/);
    const limited = spawnSync("/bin/sh", inside(create(t), script), { encoding: "utf8" });
    assert.doesNotMatch(limited.stdout, /all/);
    assert.match(limited.stderr, /fork/i);
  });

  test("too much memory ends the process, and the same script runs outside", (t) => {
    const script = "exec python3 -c 'x = bytearray(200 << 20)'";
    assert.equal(spawnSync("/bin/sh", ["-c", script]).status, 0);
    const cgroup = create(t);
    const limited = spawnSync("/bin/sh", inside(cgroup, script));
    assert.equal(limited.signal, "SIGKILL");
    assert.ok((readUsage(cgroup).peakMemoryBytes ?? 0) > 60 * MIB);
  });

  test("removal kills the members and is idempotent", async () => {
    const cgroup = create({ after: () => undefined });
    const child = spawn("/bin/sh", inside(cgroup, "sleep 1000 & sleep 1000"), { stdio: "ignore" });
    const ended = once(child, "exit");
    const [group = ""] = directoriesOf(cgroup);
    let members: readonly number[] = [];
    // The shell and both that it started.
    while (members.length < 3 || missingMemberships(cgroup, child.pid ?? 0).length > 0) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      members = membersOf(group);
    }
    const identities = members.flatMap((pid) => identifyProcess(pid) ?? []);
    assert.equal(identities.length, 3);
    const both = await Promise.all([
      removeCgroup(directoriesOf(cgroup)),
      removeCgroup(directoriesOf(cgroup)),
    ]);
    assert.deepEqual(both, [[], []]);
    assert.deepEqual(await ended, [null, "SIGKILL"]);
    assert.deepEqual(identities.filter(isProcessAlive), []);
    assert.deepEqual(await removeCgroup(directoriesOf(cgroup)), []);
  });

  test("a limit that can't be attached refuses the run and leaves nothing", () => {
    assert.throws(
      () => planCgroup("x", LIMITS, { ...detectHierarchies(), pids: undefined } as never),
      {
        code: "LIMIT_UNATTACHED",
        message: /pids/,
      },
    );
    const device = "4095:4095";
    const limits = { ...LIMITS, io: { device, readBytesPerSecond: 1, writeBytesPerSecond: 1 } };
    const cgroup = planCgroup(`drydock-test-${process.pid}-io`, limits);
    assert.throws(() => createCgroup(cgroup, limits), { code: "LIMIT_UNATTACHED" });
    for (const directory of directoriesOf(cgroup)) assert.equal(existsSync(directory), false);
  });

  test("the self-test finds on this machine what these tests find", async () => {
    const { effective, missing, left } = await selfTestCgroup();
    assert.deepEqual(
      [effective.memoryBytes, effective.pids, missing, left],
      [64 * MIB, 16, [], []],
    );
  });

  test("a group without a processor limit holds the others, and says that it has none", (t) => {
    const cgroup = create(t, { ...LIMITS, cpuMillis: null });
    const { memoryBytes, pids, cpuMillis } = readLimits(cgroup);
    assert.deepEqual([memoryBytes, pids, cpuMillis], [64 * MIB, 20, null]);
  });

  test("a limit changed behind our back shows", (t) => {
    const cgroup = create(t);
    const pids = cgroup.parts.find(({ controllers }) => controllers.includes("pids"));
    writeFileSync(`${pids?.directory}/pids.max`, "max");
    assert.equal(readLimits(cgroup).pids, null);
  });
});

const directoriesOf = (cgroup: Cgroup): readonly string[] =>
  cgroup.parts.map(({ directory }) => directory);
