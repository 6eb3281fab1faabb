import type { Duplex } from "node:stream";
import { isDrydockError } from "@drydock/evidence";
import { vmError } from "../errors.js";
import { observeVmm } from "../observe/vmm.js";
import {
  addPort,
  cont,
  deleteDevice,
  migrateIncoming,
  peripherals,
  prepareMigration,
  QmpClient,
  type QmpEvent,
  quit,
  removeChardev,
} from "../qmp/index.js";
import { CONTROL_CHANNEL, type Machine, type MachineEvent, type VmEndpoints } from "../vmm.js";
import { chardevId, portId } from "./devices.js";
import { connectSocket } from "./socket.js";

/** The guest has to let go of a port; one that hangs doesn't, and the VMM is killed anyway. */
const UNPLUG_PATIENCE_MS = 2000;

type ChannelState =
  | { readonly kind: "planned" }
  | { readonly kind: "open"; readonly stream: Duplex }
  | { readonly kind: "plugged" }
  | { readonly kind: "revoked" };

/**
 * Takes over a QEMU process by its sockets. Runs in the port process: everything that arrives here
 * is the guest's or, after an escape, the attacker's.
 */
export const connectQemu = async (endpoints: VmEndpoints): Promise<Machine> => {
  const control = endpoints.channels[CONTROL_CHANNEL];
  if (control === undefined) throw vmError("CHANNEL_UNKNOWN", `no ${CONTROL_CHANNEL} was planned`);
  const [monitor, consoleStream, controlStream] = await Promise.all([
    connectSocket(endpoints.monitor),
    connectSocket(endpoints.console),
    connectSocket(control),
  ]);
  const qmp = await QmpClient.open(monitor);
  return new QemuMachine(qmp, endpoints, consoleStream, controlStream);
};

class QemuMachine implements Machine {
  readonly console: Duplex;
  readonly control: Duplex;
  readonly #qmp: QmpClient;
  readonly #endpoints: VmEndpoints;
  readonly #channels: Map<string, ChannelState>;
  /** Removals of host ends that are under way. */
  readonly #tidying: Promise<void>[] = [];

  constructor(qmp: QmpClient, endpoints: VmEndpoints, console: Duplex, control: Duplex) {
    this.#qmp = qmp;
    this.#endpoints = endpoints;
    this.console = console;
    this.control = control;
    this.#channels = new Map(
      Object.keys(endpoints.channels).map((name): [string, ChannelState] => [
        name,
        name === CONTROL_CHANNEL ? { kind: "open", stream: control } : { kind: "planned" },
      ]),
    );
  }

  async start(): Promise<void> {
    const { start } = this.#endpoints;
    switch (start.kind) {
      case "boot":
        return;
      case "restore": {
        const restored = this.#waitFor(isMigrationEnd, RESTORE_PATIENCE_MS);
        // In flight together: the monitor carries them out in this order.
        const [event] = await Promise.all([
          restored,
          prepareMigration(this.#qmp),
          migrateIncoming(this.#qmp, start.state),
        ]);
        if (event?.data["status"] !== "completed") {
          throw vmError("GOLDEN_CORRUPT", "the VMM can't restore the golden snapshot", {
            fix: "Run `drydock image prune`; the snapshot is built again by the next run.",
          });
        }
      }
    }
  }

  resume(): Promise<void> {
    return cont(this.#qmp);
  }

  async grant(channel: string): Promise<Duplex> {
    const path = this.#planned(channel);
    // The host's end first: a port whose end nobody holds would lose what the guest writes early.
    const stream = await connectSocket(path);
    this.#channels.set(channel, { kind: "open", stream });
    try {
      await this.#addPort(channel);
    } catch (error) {
      stream.destroy();
      throw error;
    }
    return stream;
  }

  async plug(channel: string): Promise<void> {
    this.#planned(channel);
    this.#channels.set(channel, { kind: "plugged" });
    await this.#addPort(channel);
  }

  async revoke(channel: string): Promise<void> {
    const state = this.#channels.get(channel);
    if (state === undefined) throw vmError("CHANNEL_UNKNOWN", `channel ${channel} was not planned`);
    if (state.kind === "revoked") return;
    // Revoked before anything can fail: no byte passes from here on.
    this.#channels.set(channel, { kind: "revoked" });
    if (state.kind === "planned") {
      await this.#removeHostEnd(channel);
      return;
    }
    if (state.kind === "open") state.stream.destroy();
    const port = portId(channel);
    const released = this.#waitFor(
      ({ name, data }) => name === "DEVICE_DELETED" && data["device"] === port,
      UNPLUG_PATIENCE_MS,
    );
    // In flight together: what is read back is the machine after the removal.
    const [, left] = await Promise.all([deleteDevice(this.#qmp, port), peripherals(this.#qmp)]);
    if (left.includes(port)) await released;
    const tidied = this.#tidy(channel, released);
    // Whoever observes the machine next sees its failure; a run that ends has no need to.
    tidied.catch(() => undefined);
    this.#tidying.push(tidied);
  }

  /**
   * QEMU keeps the host's end until its own garbage collection, up to 60 ms later, has taken the
   * port. Nobody has to wait for that: no port is behind it any more, and none can be again.
   */
  async #tidy(channel: string, released: Promise<unknown>): Promise<void> {
    await released;
    // A VMM that was ended meanwhile has no ends left.
    await this.#removeHostEnd(channel).catch(unlessClosed);
  }

  /** Waits for the host ends of revoked channels to be gone. */
  async observe() {
    await Promise.all(this.#tidying.splice(0));
    return observeVmm(this.#qmp);
  }

  onEvent(listener: (event: MachineEvent) => void): () => void {
    const off = this.#qmp.onEvent(({ name, data }) => {
      const reason = data["reason"];
      if (name === "SHUTDOWN" || name === "GUEST_PANICKED") {
        listener({ kind: "stopped", reason: typeof reason === "string" ? reason : name });
      }
    });
    let subscribed = true;
    this.#qmp.closed.then(({ message }) => {
      if (subscribed) listener({ kind: "closed", reason: message });
    });
    return () => {
      subscribed = false;
      off();
    };
  }

  async quit(): Promise<void> {
    // QEMU may close the pipe before its answer, or be dead already.
    await quit(this.#qmp).catch(unlessClosed);
    this.console.destroy();
    this.control.destroy();
  }

  /** Where the host's end of a channel is that may be granted now. */
  #planned(channel: string): string {
    const state = this.#channels.get(channel);
    const path = this.#endpoints.channels[channel];
    if (state === undefined || path === undefined) {
      throw vmError("CHANNEL_UNKNOWN", `channel ${channel} was not planned`);
    }
    if (state.kind !== "planned") {
      throw vmError("CHANNEL_STATE", `channel ${channel} is ${state.kind} and can't be granted`);
    }
    return path;
  }

  async #addPort(channel: string): Promise<void> {
    try {
      await addPort(this.#qmp, {
        id: portId(channel),
        chardev: chardevId(channel),
        name: channel,
      });
    } catch (error) {
      this.#channels.set(channel, { kind: "revoked" });
      throw error;
    }
  }

  async #removeHostEnd(channel: string): Promise<boolean> {
    try {
      await removeChardev(this.#qmp, chardevId(channel));
      return true;
    } catch (error) {
      if (isDrydockError(error) && error.code === "QMP_COMMAND") return false;
      throw error;
    }
  }

  /** The first such event, or undefined when none came in time. */
  #waitFor(
    matches: (event: QmpEvent) => boolean,
    patienceMs: number,
  ): Promise<QmpEvent | undefined> {
    return new Promise((resolve) => {
      const done = (event: QmpEvent | undefined): void => {
        clearTimeout(timer);
        off();
        resolve(event);
      };
      const timer = setTimeout(done, patienceMs, undefined);
      const off = this.#qmp.onEvent((event) => {
        if (matches(event)) done(event);
      });
      this.#qmp.closed.then(() => done(undefined));
    });
  }
}

const unlessClosed = (error: unknown): void => {
  if (!isDrydockError(error) || error.code !== "QMP_CLOSED") throw error;
};

/** Restoring takes 10 ms; on a machine that swaps or has eight clones starting, a second. */
const RESTORE_PATIENCE_MS = 10_000;

const isMigrationEnd = ({ name, data }: QmpEvent): boolean =>
  name === "MIGRATION" && (data["status"] === "completed" || data["status"] === "failed");
