import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { CONTROLLER_UID } from "@drydock/vm";
import {
  drydock,
  type Running,
  startDrydock,
  type TestState,
  testState,
} from "../testing/command-line.js";
import {
  findRun,
  type LiveRun,
  namespacesOf,
  type Role,
  readOf,
  statusOf,
} from "../testing/live-run.js";
import { onlyRun } from "../testing/round.js";

/** Docs/processes.md says who may do what; this looks at a run that lives. */
describe("the processes of a live run", () => {
  let state: TestState;
  let running: Running;
  let live: LiveRun;
  let canary: number;
  const endings: (() => unknown)[] = [];
  const afterAll = { after: (ending: () => unknown) => endings.push(ending) };

  before(async () => {
    state = testState(afterAll);
    const built = await drydock(["image", "build", "base"], state.environment, afterAll);
    assert.equal(built.code, 0, built.stderr);
    const path = join(state.temporary, "canary");
    writeFileSync(path, "");
    canary = openSync(path, "r");
    const environment = { ...state.environment, SECRET_CANARY: "of-the-user" };
    running = startDrydock(["run", "--stdin", "--", "cat"], environment, afterAll, [canary]);
    running.child.stdin?.write("here\n");
    await running.says("here\n");
    live = findRun(onlyRun(state), running.child.pid ?? 0);
  });

  after(async () => {
    running.child.stdin?.end();
    assert.equal((await running.ended).code, 0);
    closeSync(canary);
    for (const ending of endings.reverse()) await ending();
  });

  const pidOf = (role: Role): number => {
    const pid = live.pids.get(role);
    assert.ok(pid !== undefined, `there is no ${role}`);
    return pid;
  };

  const descriptorsOf = (role: Role, from = 0): readonly string[] =>
    readdirSync(`/proc/${pidOf(role)}/fd`)
      .filter((number) => Number(number) >= from)
      .map((number) => readlinkSync(`/proc/${pidOf(role)}/fd/${number}`));

  const usersOf = (): Readonly<Partial<Record<Role, number>>> => ({
    controller: CONTROLLER_UID,
    port: live.slot?.port.uid ?? -1,
    vmm: live.slot?.vmm.uid ?? -1,
  });

  for (const role of ["controller", "port", "vmm"] as const)
    test(`${role}: a user of its own and no privilege at all`, () => {
      const uid = usersOf()[role];
      const pid = pidOf(role);
      for (const field of ["Uid", "Gid"])
        assert.deepEqual(statusOf(pid, field)?.split("\t").map(Number), [uid, uid, uid, uid]);
      assert.equal(statusOf(pid, "Groups")?.trim(), "");
      for (const set of ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"])
        assert.match(statusOf(pid, set) ?? "", /^0+$/, set);
      assert.equal(statusOf(pid, "NoNewPrivs"), "1");
    });

  test("the VMM is filtered by seccomp", () => {
    assert.equal(statusOf(pidOf("vmm"), "Seccomp"), "2");
  });

  test("launcher and reaper are root, and the positive control: they have privileges", () => {
    for (const role of ["launcher", "reaper"] as const)
      assert.doesNotMatch(statusOf(pidOf(role), "CapEff") ?? "0", /^0+$/);
  });

  test("each is alone in its namespaces, and the reaper in the machine's", () => {
    const host = namespacesOf(process.pid);
    const own = {
      controller: ["mnt", "net", "ipc", "uts"],
      port: ["mnt", "net", "ipc", "uts", "pid"],
      vmm: ["mnt", "net", "ipc", "uts"],
    };
    const seen: string[] = [];
    for (const [role, kinds] of Object.entries(own)) {
      const names = [...namespacesOf(pidOf(role as Role))].filter((name) => !host.has(name));
      assert.deepEqual(names.map((name) => name.split(":")[0]).sort(), [...kinds].sort(), role);
      seen.push(...names);
    }
    assert.equal(new Set(seen).size, seen.length);
    assert.deepEqual(namespacesOf(pidOf("reaper")), host);
  });

  for (const role of ["controller", "port", "vmm"] as const)
    test(`${role}: no network device but the loopback of an empty namespace`, () => {
      const devices = (readOf(pidOf(role), "net/dev") ?? "").split("\n").slice(2);
      assert.deepEqual(devices.map((line) => line.split(":")[0]?.trim()).filter(Boolean), ["lo"]);
    });

  test("no process inherits a descriptor of the user's, which the launcher has", () => {
    const path = join(state.temporary, "canary");
    assert.ok(descriptorsOf("launcher").includes(path));
    for (const role of ["controller", "port", "portSupervisor", "reaper", "vmm"] as const)
      assert.equal(descriptorsOf(role).includes(path), false, role);
  });

  test("controller, port and reaper hold the sockets that are listed, and no other", () => {
    // Stderr is the launcher's, whatever that is.
    const sockets = (role: Role): number =>
      descriptorsOf(role, 3).filter((name) => name.startsWith("socket:")).length;
    assert.equal(sockets("reaper"), 2);
    assert.equal(sockets("controller"), 3);
    // Controller and launcher; monitor, console, control and bulk of the VMM.
    assert.equal(sockets("port"), 2 + 4);
  });

  test("the VMM holds no file but its disks, its memory and its sockets", () => {
    const files = descriptorsOf("vmm").filter((name) => name.startsWith("/"));
    for (const name of files)
      assert.match(
        name,
        /^\/(dev\/null|dev\/urandom|memfd:drydock-golden \(deleted\)|.*\/images\/objects\/.*|.*\.scratch-.*\/upper \(deleted\))$/,
      );
  });

  for (const role of ["controller", "port", "portSupervisor", "reaper", "vmm"] as const)
    test(`${role}: nothing of the user's environment`, () => {
      assert.match(readOf(pidOf("launcher"), "environ") ?? "", /SECRET_CANARY/);
      const names = (readOf(pidOf(role), "environ") ?? "")
        .split("\0")
        .filter(Boolean)
        .map((pair) => pair.split("=")[0]);
      const known = [
        "LANG",
        "NODE_NO_WARNINGS",
        "LD_LIBRARY_PATH",
        "QEMU_MODULE_DIR",
        "GLIBC_TUNABLES",
      ];
      assert.deepEqual(
        names.filter((name) => !known.includes(name ?? "")),
        [],
      );
    });

  test("the port process sees of the host's files what it needs, and its own processes only", () => {
    const root = (path: string): readonly string[] =>
      readdirSync(`/proc/${pidOf("port")}/root${path}`);
    const expected = [
      "bin",
      "dev",
      "in",
      "lib",
      "lib-drydock",
      "lib64",
      "node",
      "out",
      "proc",
      "run",
      "usr",
    ];
    assert.deepEqual([...root("/")].sort(), expected);
    assert.deepEqual(root("/out").length, 3);
    assert.deepEqual(root("/run/drydock"), ["slots"]);
    const processes = root("/proc").filter((name) => /^[0-9]+$/.test(name));
    assert.deepEqual(processes, ["1"]);
  });

  test("the controller sees the state directory, and may write nothing else that it sees", () => {
    const mounts = (readOf(pidOf("controller"), "mountinfo") ?? "")
      .split("\n")
      .map((line) => line.split(" "))
      .filter(([, , , , target = ""]) => target.startsWith("/run/drydock"));
    const options = Object.fromEntries(
      mounts.map(([, , , , target = "", flags = ""]) => [target, flags.split(",")[0]]),
    );
    assert.deepEqual(options, {
      "/run/drydock/lib/node_modules": "ro",
      "/run/drydock/lib/packages": "ro",
      "/run/drydock/node": "ro",
      "/run/drydock/state": "rw",
    });
  });

  test("none of them may leave a core file", () => {
    for (const role of ["controller", "port", "reaper", "vmm"] as const)
      assert.match(readOf(pidOf(role), "limits") ?? "", /^Max core file size +0 +0/m, role);
  });

  /** The group of one process for one controller of cgroups, by the kernel's own words. */
  const groupOf = (role: Role, controller: "memory" | "pids"): string => {
    const lines = (readOf(pidOf(role), "cgroup") ?? "").split("\n").map((line) => line.split(":"));
    const own = lines.find(([, names = ""]) => names.split(",").includes(controller));
    return (own ?? lines.find(([number]) => number === "0"))?.[2] ?? "";
  };

  for (const controller of ["memory", "pids"] as const)
    test(`controller, port process and VMM: each in a group of its own with a limit on ${controller}`, () => {
      const groups = (["controller", "port", "vmm"] as const).map((role) =>
        groupOf(role, controller),
      );
      for (const group of groups) assert.match(group, new RegExp(`drydock-\\d+-${live.run}`));
      assert.equal(new Set(groups).size, 3);
      assert.equal(groupOf("portSupervisor", controller), groups[1]);
      for (const role of ["launcher", "reaper"] as const)
        assert.doesNotMatch(groupOf(role, controller), /drydock-/, "the positive control");
      for (const limit of limitsIn(groups, controller)) assert.ok(limit > 0 && limit < 2 ** 31);
    });

  test("a limit of the port process that is lifted under a run makes the run FAIL", async (t) => {
    const own = testState(t);
    const other = startDrydock(["run", "--stdin", "--json", "--", "cat"], own.environment, t);
    other.child.stdin?.write("here\n");
    await other.says("here\n");
    const [file] = filesOf("pids.max", `${onlyRun(own)}-port`);
    assert.ok(file !== undefined);
    writeFileSync(file, "max");
    other.child.stdin?.end();
    const { code, stdout } = await other.ended;
    assert.equal(code, 120, stdout);
    assert.match(stdout, /"verdict":"FAIL"/);
  });
});

const limitsIn = (groups: readonly string[], controller: "memory" | "pids"): readonly number[] =>
  groups.map((group) => {
    const names = controller === "pids" ? ["pids.max"] : ["memory.max", "memory.limit_in_bytes"];
    const [file] = names.flatMap((name) => filesOf(name, basename(group)));
    return file === undefined ? Number.NaN : Number(readFileSync(file, "utf8"));
  });

/** That file of the group whose name ends so, in whatever hierarchy has it. */
const filesOf = (name: string, group: string): readonly string[] =>
  execFileSync("find", ["/sys/fs/cgroup", "-path", `*${group}/${name}`], { encoding: "utf8" })
    .split("\n")
    .filter(Boolean);
