import { type Event, isDrydockError } from "@drydock/evidence";
import {
  type CommandRejection,
  initialState,
  type LifecycleEvent,
  type LifecyclePlan,
  type LifecycleRecord,
  type LifecycleResult,
  type LifecycleState,
  type Phase,
  step,
  type Task,
  type TaskResult,
  type TaskValue,
} from "../lifecycle/index.js";
import type { Timers } from "./timers.js";

/** What the lifecycle's effects are made of. */
export interface DriverPorts {
  perform(task: Task): Promise<TaskValue>;
  /** Makes a record of the lifecycle durable with the next checkpoint. @throws when it can't */
  record(event: Event): void;
  entered(phase: Phase): void;
  ready(): void;
  reject(command: string, code: CommandRejection): void;
  /** A task of a command was called back. */
  cancelled(command: string): void;
  done(result: LifecycleResult): void;
}

/** What went wrong first, for the person who asked for the run. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly fix: string | null;
}

/** Feeds the pure lifecycle with events and performs its effects. It decides nothing. */
export class Driver {
  readonly #ports: DriverPorts;
  readonly #timers: Timers;
  readonly #tasks = new Map<number, Task>();
  #state: LifecycleState;
  #disarmEnding: () => void = () => undefined;
  #refusal: Refusal | null = null;

  constructor(plan: LifecyclePlan, ports: DriverPorts, timers: Timers) {
    this.#state = initialState(plan);
    this.#ports = ports;
    this.#timers = timers;
  }

  get refusal(): Refusal | null {
    return this.#refusal;
  }

  get phase(): Phase | null {
    return this.#state.phase;
  }

  dispatch(event: LifecycleEvent): void {
    const { state, effects } = step(this.#state, event);
    this.#state = state;
    for (const effect of effects) {
      switch (effect.kind) {
        case "task":
          this.#perform(effect.id, effect.task);
          break;
        case "cancelTask": {
          const task = this.#tasks.get(effect.id);
          if (task?.kind === "command") this.#ports.cancelled(task.command);
          break;
        }
        case "enterPhase":
          this.#guardEvidence(() => this.#ports.entered(effect.phase));
          break;
        case "record":
          this.#guardEvidence(() =>
            this.#ports.record(eventOf(effect.record, this.#limitOf(effect.record))),
          );
          break;
        case "ready":
          this.#ports.ready();
          break;
        case "rejectCommand":
          this.#ports.reject(effect.command, effect.code);
          break;
        case "armEnding":
          this.#disarmEnding();
          this.#disarmEnding = this.#timers.after(effect.millis, () =>
            this.dispatch({ type: "deadline", which: "ending" }),
          );
          break;
        case "done":
          this.#disarmEnding();
          this.#ports.done(effect.result);
          break;
      }
    }
  }

  /** Evidence can't be kept: ends the run, for this reason and not for what its end breaks off. */
  failEvidence(error: unknown): void {
    const { code } = this.#refuse(error);
    this.dispatch({ type: "evidenceFailed", code });
  }

  #refuse(error: unknown): Refusal {
    const refusal = refusalOf(error);
    this.#refusal ??= refusal;
    return refusal;
  }

  #limitOf(record: LifecycleRecord): number {
    if (record.type !== "deadline.fired") return 0;
    const { deadlines } = this.#state.plan;
    const { phase } = this.#state;
    switch (record.decision) {
      case "wall":
        return deadlines.wall;
      case "idle":
        return deadlines.idle ?? 0;
      case "phase":
        return phase === null || phase === "DRIVE" || phase === "KILLING"
          ? deadlines.ending
          : deadlines.phase[phase];
    }
  }

  #perform(id: number, task: Task): void {
    this.#tasks.set(id, task);
    this.#ports.perform(task).then(
      (value) => this.#answer(id, { ok: true, value }),
      (error: unknown) => this.#answer(id, { ok: false, code: this.#refuse(error).code }),
    );
  }

  #answer(id: number, result: TaskResult): void {
    this.#tasks.delete(id);
    this.dispatch({ type: "task", id, result });
  }

  /** A receipt that can't be written ends the run: what isn't recorded didn't happen properly. */
  #guardEvidence(write: () => void): void {
    try {
      write();
    } catch (error) {
      const { code } = this.#refuse(error);
      // After this step's effects, so that events stay in order.
      queueMicrotask(() => this.dispatch({ type: "evidenceFailed", code }));
    }
  }
}

const refusalOf = (error: unknown): Refusal => {
  if (isDrydockError(error))
    return { code: error.code, message: error.message, fix: error.fix ?? null };
  const { code, message, stack } = error as NodeJS.ErrnoException;
  return {
    code: code ?? "INTERNAL",
    message: code === undefined ? `${stack}` : message,
    fix: null,
  };
};

const eventOf = (record: LifecycleRecord, limitMs: number): Event => {
  switch (record.type) {
    case "phase":
      return {
        type: "phase",
        decision: record.decision,
        measurements: { name: record.name },
        retention: "operational",
      };
    case "halt.checked":
      return {
        type: "halt.checked",
        decision: record.decision,
        measurements: { at: record.at, generation: record.generation },
      };
    case "deadline.fired":
      return { type: "deadline.fired", decision: record.decision, measurements: { limitMs } };
    case "guest.lost":
      return { type: "guest.lost", measurements: { reason: record.reason } };
  }
};
