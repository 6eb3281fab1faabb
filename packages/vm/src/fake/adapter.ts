import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Duplex } from "node:stream";
import { fileURLToPath } from "node:url";
import { errnoOf, vmError } from "../errors.js";
import { identifyProcess } from "../jail/process.js";
import { digestTree, type VmmObservation } from "../observe/vmm.js";
import { connectSocket } from "../qemu/socket.js";
import {
  CONTROL_CHANNEL,
  type Machine,
  type MachineEvent,
  type VmEndpoints,
  type VmExit,
  type VmmAdapter,
  type VmPlan,
  type VmProcess,
  type VmSpec,
} from "../vmm.js";

/**
 * A VMM without a machine: it shows that the port asks for nothing that only QEMU has, and lets
 * what is built on the port be tested where no guest can boot. It contains nothing and claims
 * nothing: its identity says `fake`, so no sealed manifest can be mistaken for a real one's.
 */
export const createFakeAdapter = (): VmmAdapter => ({
  name: "fake",
  prepare: async (spec) => planOf(spec),
  spawn: async (plan, place) => {
    const names = [CONTROL_CHANNEL, ...plan.spec.channels];
    const path = (name: string): string => join(place.slot.sockets, name);
    const endpoints: VmEndpoints = {
      adapter: "fake",
      monitor: path("monitor"),
      console: path("console"),
      channels: Object.fromEntries(names.map((name) => [name, path(name)])),
      start: { kind: "boot" },
    };
    rmSync(place.upper, { force: true });
    return startProcess(endpoints, pictureOf(plan));
  },
  connect: connectFake,
});

const NONE = `sha256:${createHash("sha256").digest("hex")}`;

const planOf = (spec: VmSpec): VmPlan => ({
  spec,
  snapshot: null,
  identity: {
    adapter: "fake",
    version: "1",
    binary: NONE,
    firmware: [],
    libraries: NONE,
    arguments: NONE,
    accelerator: "none",
    machine: "none",
    cpuModel: "none",
  },
  topology: {
    devices: [{ id: "serial", driver: "fake-serial", parent: null }],
    grantable: spec.channels
      .map((channel) => ({ id: channel, driver: "fake-port", parent: "serial" }))
      .sort((left, right) => (left.id < right.id ? -1 : 1)),
    disks: [],
    chardevs: [CONTROL_CHANNEL, ...spec.channels].sort(),
    kvm: false,
    treeDigest: null,
    process: {
      interfaces: [],
      namespaces: [],
      capabilities: [],
      seccomp: 0,
      noNewPrivileges: false,
      mounts: [],
    },
  },
});

const pictureOf = ({ topology }: VmPlan): VmmObservation => {
  const devices = topology.devices.map(({ id, driver }) => ({
    path: `/machine/peripheral/${id}`,
    type: driver,
  }));
  return {
    devices,
    treeDigest: digestTree(devices),
    disks: [],
    chardevs: topology.chardevs,
    nics: [],
    kvm: false,
  };
};

const startProcess = async (
  endpoints: VmEndpoints,
  picture: VmmObservation,
): Promise<VmProcess> => {
  const program = fileURLToPath(new URL("./process.js", import.meta.url));
  const child = spawn(
    process.execPath,
    [program, JSON.stringify(endpoints), JSON.stringify(picture)],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  let complaint = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaint = (complaint + text).slice(-4096);
  });
  const exited = new Promise<VmExit>((resolve) => {
    child.once("close", (code, signal) => resolve({ code, signal, complaint }));
  });
  const line = await Promise.race([once(child.stdout, "data"), exited.then(() => undefined)]);
  const identity = child.pid === undefined ? undefined : identifyProcess(child.pid);
  if (line === undefined || identity === undefined) {
    throw vmError("VMM_EXITED", `the fake VMM ended: ${complaint}`);
  }
  return {
    ...identity,
    endpoints,
    exited,
    kill: () => {
      try {
        process.kill(identity.pid, "SIGKILL");
      } catch (error) {
        if (errnoOf(error) !== "ESRCH") throw error;
      }
    },
  };
};

const connectFake = async (endpoints: VmEndpoints): Promise<Machine> => {
  const controlPath = endpoints.channels[CONTROL_CHANNEL];
  if (controlPath === undefined) {
    throw vmError("CHANNEL_UNKNOWN", `no ${CONTROL_CHANNEL} was planned`);
  }
  const [monitor, consoleStream, control] = await Promise.all([
    connectSocket(endpoints.monitor),
    connectSocket(endpoints.console),
    connectSocket(controlPath),
  ]);
  const lines = createInterface({ input: monitor });
  const ask = async (order: string, channel = ""): Promise<unknown> => {
    const answer = Promise.race([
      once(lines, "line").then(([text]) => JSON.parse(String(text)) as unknown),
      once(lines, "close").then(() => null),
    ]);
    monitor.write(`${JSON.stringify({ order, channel })}\n`);
    return answer;
  };
  const open = new Map<string, Duplex | null>(
    Object.keys(endpoints.channels).map((name) => [
      name,
      name === CONTROL_CHANNEL ? control : null,
    ]),
  );
  const revoked = new Set<string>();
  const plugged = new Set<string>();
  const planned = (channel: string): string => {
    const path = endpoints.channels[channel];
    if (path === undefined) {
      throw vmError("CHANNEL_UNKNOWN", `channel ${channel} was not planned`);
    }
    if (open.get(channel) !== null || plugged.has(channel) || revoked.has(channel)) {
      throw vmError("CHANNEL_STATE", `channel ${channel} can't be granted now`);
    }
    return path;
  };
  const listeners = new Set<(event: MachineEvent) => void>();
  monitor.once("close", () => {
    for (const listener of listeners) listener({ kind: "closed", reason: "the monitor closed" });
  });
  return {
    console: consoleStream,
    control,
    start: async () => void (await ask("start")),
    resume: async () => void (await ask("resume")),
    grant: async (channel) => {
      const stream = await connectSocket(planned(channel));
      open.set(channel, stream);
      await ask("grant", channel);
      return stream;
    },
    plug: async (channel) => {
      planned(channel);
      plugged.add(channel);
      await ask("grant", channel);
    },
    revoke: async (channel) => {
      if (!open.has(channel)) {
        throw vmError("CHANNEL_UNKNOWN", `channel ${channel} was not planned`);
      }
      if (revoked.has(channel)) return;
      revoked.add(channel);
      open.get(channel)?.destroy();
      await ask("revoke", channel);
    },
    observe: async () => (await ask("observe")) as VmmObservation,
    onEvent: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    quit: async () => {
      monitor.write(`${JSON.stringify({ order: "quit" })}\n`);
      consoleStream.destroy();
      control.destroy();
    },
  };
};
