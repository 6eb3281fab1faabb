import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { missingMemberships, readLimits } from "../cgroup/index.js";
import { identifyProcess, readOwner, type Slot } from "../jail/index.js";
import {
  compareKernel,
  compareVmm,
  digestTree,
  fixedDevices,
  observeKernel,
} from "../observe/index.js";
import { sweepStale } from "../reap/index.js";
import {
  ask,
  closeTestLab,
  openPlace,
  openTestLab,
  type TestLab,
  type TestPlace,
} from "../testing/lab.js";
import type { Machine } from "../vmm.js";
import { createQemuAdapter, type QemuPlan } from "./index.js";
import type { QemuProcess } from "./spawn.js";

interface Running {
  readonly plan: QemuPlan;
  readonly place: TestPlace;
  readonly vmm: QemuProcess;
  readonly machine: Machine;
}

describe("a QEMU machine behind its walls", () => {
  let lab: TestLab;

  before(async () => {
    lab = await openTestLab();
  });

  after(() => closeTestLab(lab));

  const start = async (
    t: { after(fn: () => unknown): void },
    kind: "snapshot" | "cold" = "snapshot",
  ): Promise<Running> => {
    const adapter = createQemuAdapter(lab.options);
    const plan = await adapter.prepare({ ...lab.spec, start: kind });
    const place = await openPlace(lab, t);
    const vmm = await adapter.spawn(plan, place);
    const machine = await adapter.connect(vmm.endpoints);
    await machine.start();
    return { plan, place, vmm, machine };
  };

  /**
   * Two clones and what they drew first. Asked before they run, so that it is the first thing both
   * do. On a busy host the kernel's own reseed may still come in between: then another pair.
   */
  const equalPair = async (t: {
    after(fn: () => unknown): void;
  }): Promise<[Running, Running, string, string]> => {
    for (let attempt = 1; ; attempt += 1) {
      const [first, second] = [await start(t), await start(t)];
      const answers = Promise.all([
        ask(first.machine.control, "random"),
        ask(second.machine.control, "random"),
      ]);
      await Promise.all([first.machine.resume(), second.machine.resume()]);
      const [one, other] = await answers;
      if (one === other || attempt === MAX_PAIRS) return [first, second, one, other];
      await Promise.all([first.machine.quit(), second.machine.quit()]);
    }
  };

  const comparison = ({ plan, place, vmm }: Running) =>
    compareKernel(
      plan.topology,
      {
        ...place.slot.vmm,
        executable: vmm.executable,
        files: vmm.files,
        limits: place.effective,
        missingMemberships: missingMemberships(place.cgroup, vmm.pid),
      },
      observeKernel(vmm),
      readLimits(place.cgroup),
    );

  test("clones are equal until they are reseeded, and differ from then on", async (t) => {
    const [first, second, bytes, sameBytes] = await equalPair(t);
    // The control: the same bytes and the same UUID, or reseeding would prove nothing.
    assert.equal(bytes, sameBytes);
    assert.equal(await ask(first.machine.control, `reseed ${randomHex()}`), "reseeded");
    assert.equal(await ask(second.machine.control, `reseed ${randomHex()}`), "reseeded");
    const one = await ask(first.machine.control, "random");
    const other = await ask(second.machine.control, "random");
    assert.notEqual(one, other);
    const [oneUuid, otherUuid] = [one?.split(" ")[1], other?.split(" ")[1]];
    assert.match(oneUuid ?? "", /^[0-9a-f-]{36}$/);
    assert.notEqual(oneUuid, otherUuid);
  });

  test("a clone shows the right time once its clock is set", async (t) => {
    const { machine } = await start(t);
    await machine.resume();
    const now = Math.floor(Date.now() / 1000) + 12_345;
    // The control: without this the clone lives in the golden machine's past.
    assert.ok(Number(await ask(machine.control, "time")) < now - 12_000);
    assert.equal(await ask(machine.control, `settime ${now}`), "set");
    const shown = Number(await ask(machine.control, "time"));
    assert.ok(shown >= now && shown <= now + 5, `${shown} is not about ${now}`);
  });

  test("the kernel's facts match the sealed topology, for a clone and for a cold boot", async (t) => {
    assert.deepEqual(comparison(await start(t)), { kind: "match" });
    assert.deepEqual(comparison(await start(t, "cold")), { kind: "match" });
  });

  test("an ordinary process matches none of the sealed facts", async (t) => {
    // The control: the comparison sees the host where it is the host.
    const running = await start(t);
    const self = identifyProcess(process.pid);
    assert.ok(self !== undefined);
    const found = compareKernel(
      running.plan.topology,
      {
        ...running.place.slot.vmm,
        executable: running.vmm.executable,
        files: running.vmm.files,
        limits: running.place.effective,
        missingMemberships: missingMemberships(running.place.cgroup, process.pid),
      },
      observeKernel(self),
      running.place.effective,
    );
    assert.equal(found.kind, "mismatch");
    const text = found.kind === "mismatch" ? found.differences.join("\n") : "";
    for (const fact of [
      "namespace net",
      "mounts",
      "uids",
      "capabilities",
      "seccomp",
      "executable",
    ]) {
      assert.match(text, new RegExp(`^${fact}`, "m"));
    }
  });

  test("the VMM has no network interface but lo, and the guest has none at all", async (t) => {
    const { machine, vmm } = await start(t);
    const observed = observeKernel(vmm);
    assert.deepEqual(observed.interfaces, ["lo"]);
    assert.ok(observed.namespaces.find(({ name }) => name === "net")?.separate);
    assert.deepEqual((await machine.observe()).nics, []);
    await machine.resume();
    assert.equal(await ask(machine.control, "interfaces"), "lo");
  });

  test("the private root holds the bundle, three devices and nothing else", async (t) => {
    const { vmm, plan } = await start(t);
    const root = `/proc/${vmm.pid}/root`;
    assert.deepEqual(readdirSync(root).sort(), ["dev", "fds", "lib64", "vmm"]);
    assert.deepEqual(readdirSync(`${root}/dev`).sort(), ["null", "urandom", "zero"]);
    assert.equal(readlinkSync(`${root}/lib64`), "/vmm/lib");
    assert.deepEqual(readdirSync(`${root}/vmm`).sort(), readdirSync(plan.bundle.directory).sort());
  });

  test("a clone's device tree is the golden machine's", async (t) => {
    const { machine, plan } = await start(t);
    const tree = fixedDevices(plan.topology, await machine.observe());
    assert.equal(digestTree(tree), plan.topology.treeDigest);
  });

  test("golden memory refuses a VMM's writes, while unsealed memory takes them", async (t) => {
    const { vmm, place } = await start(t);
    const sealed = readdirSync(`/proc/${vmm.pid}/fd`).find((number) =>
      readlinkSync(`/proc/${vmm.pid}/fd/${number}`).startsWith("/memfd:drydock-golden"),
    );
    assert.ok(sealed !== undefined);
    const { uid, gid } = place.slot.vmm;
    const attempt = (path: string) =>
      spawnSync("python3", ["-c", WRITE_AND_MAP, path, String(uid), String(gid)], {
        encoding: "utf8",
      }).stdout.trim();
    assert.equal(attempt(`/proc/${vmm.pid}/fd/${sealed}`), "write EPERM, map EPERM, grow EPERM");
    assert.equal(attempt("unsealed"), "write ok, map ok, grow ok");
  });

  test("a killed VMM leaves no process, cgroup, mount, namespace or file", async (t) => {
    const { vmm, place } = await start(t);
    const namespace = readlinkSync(`/proc/${vmm.pid}/ns/net`);
    process.kill(vmm.pid, "SIGKILL");
    await vmm.exited;
    assert.deepEqual(await place.destroy(), []);
    assert.equal(existsSync(place.slot.directory), false);
    for (const { directory } of place.cgroup.parts) assert.equal(existsSync(directory), false);
    assert.doesNotMatch(readFileSync("/proc/self/mountinfo", "utf8"), /run\/drydock/);
    const inUse = readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map((pid) => namespaceOf(pid));
    assert.equal(inUse.includes(namespace), false);
  });

  test("destroying a slot kills its machine and leaves another run's alone", async (t) => {
    const [mine, other] = [await start(t), await start(t)];
    assert.deepEqual(await mine.place.destroy(), []);
    assert.equal((await mine.vmm.exited).signal, "SIGKILL");
    await other.machine.resume();
    assert.equal(await ask(other.machine.control, "hello"), "what?");
  });

  test("the VMM dies with its launcher, and a sweep removes the rest", async (t) => {
    const script = new URL("../testing/launch-and-die.js", import.meta.url).pathname;
    const { stdout } = spawnSync(process.execPath, [script], { encoding: "utf8" });
    const { pid, registry, slot } = JSON.parse(stdout) as {
      pid: number;
      registry: string;
      slot: Slot;
    };
    t.after(() => closeTestLab({ registry }));
    for (let tries = 0; tries < 400 && identifyProcess(pid) !== undefined; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    assert.equal(identifyProcess(pid), undefined);
    const swept = await sweepStale();
    // Whoever starts a run sweeps as well, and may have been faster.
    const mine = swept.find(({ run }) => run === slot.run);
    if (mine !== undefined) assert.deepEqual(mine.leftovers, []);
    assert.notEqual(readOwner(slot)?.run, slot.run);
  });

  test("channels of a guest that hangs are revoked all the same, control included", async (t) => {
    const { machine, plan } = await start(t);
    await machine.resume();
    await machine.grant("drydock.bulk.0");
    machine.control.write("hog\n");
    await machine.revoke("drydock.bulk.0");
    await machine.revoke("drydock.control.0");
    assert.equal(machine.control.destroyed, true);
    const observed = await machine.observe();
    assert.deepEqual(
      observed.devices.filter(({ type }) => type === "virtserialport"),
      [],
    );
    assert.deepEqual(observed.chardevs, ["char-console", "char-drydock-bulk-1", "char-monitor"]);
    assert.deepEqual(compareVmm(plan.topology, observed), { kind: "match" });
  });

  test("a guest that ends by itself ends its VMM", async (t) => {
    const { machine, vmm } = await start(t);
    await machine.resume();
    machine.control.write("poweroff\n");
    assert.equal((await vmm.exited).code, 0);
  });
});

const MAX_PAIRS = 5;

const randomHex = (): string => randomBytes(32).toString("hex");

const namespaceOf = (pid: string): string => {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`);
  } catch {
    // A process that ended meanwhile holds no namespace.
    return "";
  }
};

/** Python because Node has neither mmap nor memfd_create. Runs as the VMM's uid. */
const WRITE_AND_MAP = `
import errno, mmap, os, sys
path, uid, gid = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
if path == "unsealed":
    fd = os.memfd_create("unsealed", os.MFD_ALLOW_SEALING)
    os.ftruncate(fd, 1 << 20)
    path = "/proc/self/fd/%d" % fd
fd = os.open(path, os.O_RDWR)
os.setgroups([]); os.setresgid(gid, gid, gid); os.setresuid(uid, uid, uid)
def attempt(action):
    try:
        action()
        return "ok"
    except OSError as error:
        return errno.errorcode[error.errno]
size = os.fstat(fd).st_size
print("write %s, map %s, grow %s" % (
    attempt(lambda: os.pwrite(fd, b"poison", 0)),
    attempt(lambda: mmap.mmap(fd, 4096, mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_WRITE)),
    attempt(lambda: os.ftruncate(fd, size + 4096))))
`;
