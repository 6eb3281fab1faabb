import { readFileSync, rmSync } from "node:fs";
import { chown } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { vmError } from "../errors.js";
import { digestTree, observeVmm } from "../observe/vmm.js";
import { cont, migrate, prepareMigration, QmpClient, stop } from "../qmp/index.js";
import type { VmPlace } from "../vmm.js";
import { AGENT_WAITING, awaitConsoleLine } from "./console.js";
import { type BuiltMachine, collectState } from "./golden.js";
import { connectSocket } from "./socket.js";
import type { QemuProcess } from "./spawn.js";

/** Under emulation a boot with Node in it takes 8 s on an idle machine. */
export const BOOT_DEADLINE_MS = 120_000;
/** Path of the state socket in the golden machine's private root. */
export const STATE_MOUNT = "/state";

/**
 * Boots a machine to where its agent waits, and takes its state. The machine is gone afterwards;
 * its memory stays in the file that it was started with.
 *
 * @param spawn starts the VMM with `socket` mounted at STATE_MOUNT.
 */
export const bootGolden = async (
  place: VmPlace,
  spawn: (socket: string) => Promise<QemuProcess>,
): Promise<BuiltMachine> => {
  const socket = join(place.slot.directory, "state");
  const { server, state } = await collectState(socket);
  try {
    await chown(socket, place.slot.vmm.uid, 0);
    const vmm = await spawn(socket);
    try {
      return await takeState(vmm, state);
    } finally {
      vmm.kill();
      await vmm.exited;
    }
  } finally {
    server.close();
    rmSync(socket, { force: true });
  }
};

const takeState = async (vmm: QemuProcess, state: Promise<Buffer>): Promise<BuiltMachine> => {
  const [monitor, consoleStream] = await Promise.all([
    connectSocket(vmm.endpoints.monitor),
    connectSocket(vmm.endpoints.console),
  ]);
  const qmp = await QmpClient.open(monitor);
  try {
    const waiting = awaitConsoleLine(consoleStream, AGENT_WAITING, vmm.exited, BOOT_DEADLINE_MS);
    await Promise.all([waiting, cont(qmp)]);
    await untilIdle(vmm.pid);
    await stop(qmp);
    await prepareMigration(qmp);
    const migrated = new Promise<string>((resolve) => {
      qmp.onEvent(({ name, data }) => {
        const status = data["status"];
        if (name === "MIGRATION" && (status === "completed" || status === "failed"))
          resolve(status);
      });
      qmp.closed.then(() => resolve("closed"));
    });
    await migrate(qmp, `unix:${STATE_MOUNT}`);
    const outcome = await migrated;
    if (outcome !== "completed") {
      throw vmError("GOLDEN_BUILD", `the VMM did not write its state: ${outcome}`);
    }
    const { devices } = await observeVmm(qmp);
    // No good-bye: the caller kills the VMM, and its memory is complete since the stop.
    return { state: await state, treeDigest: digestTree(devices) };
  } finally {
    qmp.close();
    consoleStream.destroy();
  }
};

/** Clock ticks are 10 ms. */
const IDLE_WINDOW_MS = 200;
const IDLE_PATIENCE_MS = 10_000;

/**
 * The agent prints its line and then still has things to do (garbage collection, the last page
 * faults). A snapshot of an idle guest spares every clone that work.
 */
const untilIdle = async (pid: number): Promise<void> => {
  const deadline = performance.now() + IDLE_PATIENCE_MS;
  let before = cpuTicks(pid);
  while (performance.now() < deadline) {
    await delay(IDLE_WINDOW_MS);
    const now = cpuTicks(pid);
    if (now - before <= 1) return;
    before = now;
  }
};

/** User and system time of all threads: fields 14 and 15 of /proc/<pid>/stat. */
const cpuTicks = (pid: number): number => {
  const text = readFileSync(`/proc/${pid}/stat`, "latin1");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return Number(fields[11]) + Number(fields[12]);
};
