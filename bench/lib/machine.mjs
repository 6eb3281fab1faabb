// A virtual machine through the VMM adapter alone, as launcher and port process use it: walls,
// sockets, agent; but no controller, evidence or command line.
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { CACHE, root } from "./home.mjs";

const vm = await import(new URL("../../packages/vm/dist/index.js", import.meta.url).href);
const wire = await import(new URL("../../packages/wire/dist/index.js", import.meta.url).href);

const CHANNEL = "drydock.bulk.0";
const DISK_BYTES = 8 * 2 ** 30;
const nowNs = () => BigInt(Date.now()) * 1_000_000n;
const deadline = () => String(nowNs() + 60_000_000_000n);
let machines = 0;

/** Everything that is made once: the store's parts, and the golden snapshot of `snapshot`. */
export const openLaboratory = async ({ snapshot, memoryBytes = 2 ** 30 }) => {
  const store = vm.openStore(join(CACHE, "images"));
  const tools = vm.systemTools();
  const native = await vm.ensureNative(
    store,
    tools,
    join(root, "packages/vm/native/drydock-native.c"),
  );
  const image = await vm.resolveImage(store, "base");
  const disk = await vm.upperDisk(store, tools, DISK_BYTES);
  const adapter = vm.createQemuAdapter({
    native,
    directory: join(store.directory, "vmm"),
    createUpper: (path) => vm.createUpper(store, disk, { path, uid: 0, gid: 0 }),
  });
  const part = (name) => ({ path: image[`${name}Path`], digest: image.digests[name] });
  const plan = await adapter.prepare({
    image: {
      kernel: part("kernel"),
      initrd: part("initrd"),
      agent: part("agent"),
      root: part("root"),
    },
    vcpus: 1,
    memoryBytes,
    upperBytes: DISK_BYTES,
    start: snapshot ? "snapshot" : "cold",
    channels: [CHANNEL],
  });
  return { adapter, plan, store, disk };
};

/**
 * A clone or a cold guest whose agent has answered the greeting. `exec` resolves with the
 * milliseconds from the machine's start to the first byte of the command's output.
 */
export const startMachine = async ({ adapter, plan, store, disk }) => {
  const began = performance.now();
  machines += 1;
  const self = { ...vm.identifyProcess(process.pid), role: "launcher" };
  const slot = vm.allocateSlot(`bench-${process.pid}-${machines}`, self);
  try {
    const { cgroup } = vm.createSlotCgroup(slot, "", vm.vmmLimits(plan.shape));
    const upper = join(slot.directory, "upper");
    vm.createUpper(store, disk, { path: upper, uid: slot.vmm.uid, gid: slot.vmm.gid });
    const vmm = await adapter.spawn(plan, { slot, cgroups: vm.joinFiles(cgroup), upper });
    const machine = await adapter.connect(vmm.endpoints);
    machine.console.resume();
    await machine.start();
    await machine.resume();
    const waiting = new Map();
    const control = wire.attachHostControl(
      machine.control,
      { run: "bench", lease: "bench.body", generation: 1 },
      {
        onFrame: ({ message }) => {
          waiting.get(message.type)?.(message);
          if (message.type === "error") throw new Error(`agent: ${message.message}`);
        },
        onClose: () => undefined,
        nowNs,
      },
    );
    const answer = (type) => new Promise((resolve) => waiting.set(type, resolve));
    const ready = answer("ready");
    control.send(
      {
        type: "hello",
        nonce: randomBytes(16).toString("hex"),
        entropy: randomBytes(48).toString("base64"),
        timeNs: String(nowNs()),
        limits: { pids: 128, fds: 512 },
        mounts: { upper: "upper" },
      },
      deadline(),
    );
    await ready;
    const stream = await machine.grant(CHANNEL);
    const bulk = wire.attachBulk(stream, { role: "opener", onClose: () => undefined });
    control.send({ type: "channel", name: CHANNEL }, deadline());
    return {
      pid: vmm.pid,
      readyMs: performance.now() - began,
      exec: async (argv) => {
        const [stdin, stdout, stderr] = [bulk.open(), bulk.open(), bulk.open()];
        for (const own of [stdin, stdout, stderr]) own.end();
        stderr.resume();
        const first = new Promise((resolve) => stdout.once("data", resolve));
        const exited = answer("execExit");
        control.send(
          {
            type: "exec",
            exec: "bench",
            argv,
            env: ["PATH=/usr/bin:/bin"],
            cwd: "/",
            user: { uid: 1000, gid: 1000 },
            tty: null,
            stdin: stdin.id,
            stdout: stdout.id,
            stderr: stderr.id,
            killLeftovers: true,
          },
          deadline(),
        );
        await first;
        const ms = performance.now() - began;
        stdout.resume();
        await exited;
        return ms;
      },
      end: async () => {
        await machine.quit();
        await vmm.exited;
        const left = await vm.destroySlot(slot);
        if (left.length > 0) throw new Error(`left behind: ${JSON.stringify(left)}`);
      },
    };
  } catch (error) {
    await vm.destroySlot(slot);
    throw error;
  }
};
