import type { Effect, LifecycleRecord, Task } from "./effect.js";
import type { Phase } from "./phase.js";
import type { LifecycleState } from "./state.js";

/** One step in the making: the next state and the effects so far. It lives within one `step`. */
export class Draft {
  state: LifecycleState;
  readonly effects: Effect[] = [];

  constructor(state: LifecycleState) {
    this.state = state;
  }

  set(fields: Partial<LifecycleState>): void {
    this.state = { ...this.state, ...fields };
  }

  emit(effect: Effect): void {
    this.effects.push(effect);
  }

  /** Records are lost before the log is open, except phases, which wait for it. */
  record(record: LifecycleRecord): void {
    if (this.state.logOpen) this.emit({ kind: "record", record });
  }

  ask(task: Task, command: string | null): number {
    const id = this.state.nextTask;
    this.set({
      nextTask: id + 1,
      out: new Map(this.state.out).set(id, { task, command }),
      asked: new Set(this.state.asked).add(task.kind),
    });
    this.emit({ kind: "task", id, task });
    return id;
  }

  forget(id: number): void {
    const out = new Map(this.state.out);
    out.delete(id);
    this.set({ out });
  }

  cancelAll(): void {
    for (const id of this.state.out.keys()) this.emit({ kind: "cancelTask", id });
  }

  doubt(code: string): void {
    this.set({ doubts: [...this.state.doubts, code] });
  }

  enter(phase: Phase): void {
    const left = this.state.phase;
    if (left === phase) return;
    if (left !== null) this.record({ type: "phase", decision: "left", name: left });
    this.record({ type: "phase", decision: "entered", name: phase });
    const unrecorded = this.state.logOpen ? [] : [...this.state.unrecorded, phase];
    this.set({ phase, unrecorded });
    this.emit({ kind: "enterPhase", phase });
  }

  /** Opens the log and catches up on the phases before it. */
  openLog(): void {
    const waiting = this.state.unrecorded;
    this.set({ logOpen: true, unrecorded: [] });
    waiting.forEach((name, index) => {
      this.record({ type: "phase", decision: "entered", name });
      if (index < waiting.length - 1) this.record({ type: "phase", decision: "left", name });
    });
  }
}
