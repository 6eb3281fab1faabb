import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { quote } from "@drydock/evidence";
import { addSlotOwner, type Cgroup, CONTROLLER_UID, type Launched, type Slot } from "@drydock/vm";
import type { HelperLimits } from "../contract/index.js";
import type { RunLayout } from "../home/index.js";
import { ProcessGroup } from "./process-group.js";
import { startController, startEgress, startPort } from "./processes.js";
import type { Program } from "./program.js";

export interface HelperOptions {
  readonly native: string;
  readonly program: Program;
  readonly slot: Slot;
  readonly state: string;
  readonly layout: RunLayout;
  readonly staging: string;
  readonly ceiling: string;
  readonly limits: HelperLimits;
  readonly controller: {
    readonly launcher: Socket;
    readonly port: Socket;
    readonly reaper: Socket;
    readonly egress: Socket | null;
  };
  readonly port: { readonly controller: Socket; readonly user: Socket };
  /** Null in a run that reaches nothing outside. */
  readonly egress: { readonly controller: Socket; readonly launcher: Socket } | null;
  readonly onNote: (note: string) => void;
}

/** Enough for one error with its stack. */
const MAX_LAST_WORDS = 4096;
/** A controller that has said all there is to say ends in milliseconds. */
const ENDING_PATIENCE_MS = 2_000;

/** One of the run's processes in its group. */
interface Helper {
  readonly name: string;
  readonly uid: number;
  readonly group: ProcessGroup;
  readonly process: Launched;
}

/** Controller, port process and broker of one run, each in its group, and what became of them. */
export class Helpers {
  readonly #controller: Helper;
  readonly #others: readonly Helper[];

  private constructor(controller: Helper, others: readonly Helper[]) {
    this.#controller = controller;
    this.#others = others;
  }

  /** @throws DrydockError LIMIT_UNATTACHED, LAUNCH_FAILED; what has started dies with this process */
  static async start(options: HelperOptions): Promise<Helpers> {
    const { slot, limits, native, program } = options;
    // Before either is born: a limit that can't be attached refuses the run.
    const groups = {
      controller: new ProcessGroup(slot, "controller", {
        memoryBytes: limits.controllerMemoryBytes,
        pids: limits.controllerPids,
      }),
      port: new ProcessGroup(slot, "port", {
        memoryBytes: limits.portMemoryBytes,
        pids: limits.portPids,
      }),
      egress: egressGroup(slot, limits),
    };
    const starting = [
      startController({
        ...{ native, program, state: options.state, run: slot.run, ceiling: options.ceiling },
        ...options.controller,
        cgroups: groups.controller.joinFiles,
        stderr: "pipe",
      }),
      startPort({
        ...{ native, program, slot, layout: options.layout, staging: options.staging },
        ...options.port,
        cgroups: groups.port.joinFiles,
        stderr: "pipe",
      }),
      ...(groups.egress === null || options.egress === null
        ? []
        : [
            startEgress({
              ...{ native, program, slot, layout: options.layout },
              ...options.egress,
              cgroups: groups.egress.joinFiles,
              stderr: "pipe" as const,
            }),
          ]),
    ] as const;
    try {
      const [controller, port, egress] = await Promise.all(starting);
      const helpers: Helper[] = [
        { name: "port process", uid: slot.port.uid, group: groups.port, process: port },
      ];
      if (egress !== undefined && groups.egress !== null)
        helpers.push({
          name: "broker",
          uid: slot.egress.uid,
          group: groups.egress,
          process: egress,
        });
      const first: Helper = {
        ...{ name: "controller", uid: CONTROLLER_UID },
        ...{ group: groups.controller, process: controller },
      };
      for (const helper of [first, ...helpers]) hearOut(helper, options.onNote);
      addSlotOwner(slot, { ...controller, role: "controller" });
      return new Helpers(first, helpers);
    } catch (error) {
      // The other one may have come up: it is known to nobody but us.
      for (const started of await Promise.allSettled(starting))
        if (started.status === "fulfilled") started.value.child.kill("SIGKILL");
      throw error;
    }
  }

  /** The group that outlives the slot's contents: the controller has to hear that they are gone. */
  get spared(): Cgroup {
    return this.#controller.group.cgroup;
  }

  /** Where a limit or a membership isn't what it was when they were started. */
  differences(): readonly string[] {
    return [this.#controller, ...this.#others].flatMap(({ name, uid, group, process }) =>
      group.differences(name, process.pid, uid),
    );
  }

  /** Resolves when the controller has ended by itself, or after its patience. */
  async controllerEnded(): Promise<void> {
    const late = new AbortController();
    const patience = delay(ENDING_PATIENCE_MS, undefined, { signal: late.signal });
    // Rejects when it is called off.
    patience.catch(() => undefined);
    await Promise.race([this.#controller.process.exited, patience]);
    late.abort();
  }

  kill(): void {
    for (const { process } of [this.#controller, ...this.#others]) process.child.kill("SIGKILL");
  }
}

const egressGroup = (
  slot: Slot,
  { egressMemoryBytes, egressPids }: HelperLimits,
): ProcessGroup | null =>
  egressMemoryBytes === null || egressPids === null
    ? null
    : new ProcessGroup(slot, "egress", { memoryBytes: egressMemoryBytes, pids: egressPids });

/**
 * Last words of a process that ended badly. Neither holds the user's terminal: what a guest may
 * have taken over must not write to it.
 */
const hearOut = ({ name, process }: Helper, note: (note: string) => void): void => {
  const { child } = process;
  let said = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(0, MAX_LAST_WORDS);
  });
  child.once("close", (code) => {
    if (said !== "" && code !== 0) note(`${name}: ${quote(said)}`);
  });
};
