import assert from "node:assert/strict";
import type { Effect, Task, TaskKind } from "../effect.js";
import type { LifecycleEvent, TaskResult, TaskValue } from "../event.js";
import { ORDERLY_PHASES, type OrderlyPhase } from "../phase.js";
import type { LifecyclePlan } from "../plan.js";
import { initialState, type LifecycleState } from "../state.js";
import { step } from "../step.js";

export const MANIFEST = `sha256:${"a".repeat(64)}`;
const GENERATION = 3;

const QUIESCED = ["egress.0"];

export const plan = (channels: readonly string[] = ["bulk.0", ...QUIESCED]): LifecyclePlan => ({
  channels,
  quiesced: channels.filter((channel) => QUIESCED.includes(channel)),
  deadlines: {
    wall: 600_000,
    idle: null,
    phase: Object.fromEntries(
      ORDERLY_PHASES.filter((phase) => phase !== "DRIVE").map((phase) => [phase, 30_000]),
    ) as Record<Exclude<OrderlyPhase, "DRIVE">, number>,
    ending: 5_000,
  },
});

/** The answer of a world in which everything works. */
export const goodAnswer = (task: Task): TaskResult => ({ ok: true, value: goodValue(task.kind) });

const goodValue = (kind: TaskKind): TaskValue => {
  switch (kind) {
    case "sealSource":
      return { kind: "sealed", manifest: MANIFEST };
    case "checkHalt":
      return { kind: "halt", reading: { halted: false, generation: GENERATION } };
    case "reserve":
      return { kind: "reserved", haltGeneration: GENERATION };
    case "destroySlot":
      return { kind: "destroyed", gone: true };
    case "deriveVerdict":
      return { kind: "verdict", verdict: "PASS" };
    default:
      return { kind: "none" };
  }
};

/** Drives the real `step` and watches every rule of docs/lifecycle.md on each effect. */
export class World {
  state: LifecycleState;
  readonly out = new Map<number, Task>();
  readonly trace: Effect[] = [];
  readonly #monitor: Monitor;

  constructor(channels?: readonly string[]) {
    this.state = initialState(plan(channels));
    this.#monitor = new Monitor(this.state.plan.quiesced);
  }

  send(event: LifecycleEvent): void {
    if (event.type === "task") {
      this.#monitor.answered(this.out.get(event.id), event.result);
      this.out.delete(event.id);
    }
    const next = step(this.state, event);
    this.state = next.state;
    for (const effect of next.effects) {
      this.trace.push(effect);
      if (effect.kind === "task") this.out.set(effect.id, effect.task);
      this.#monitor.watch(effect);
    }
  }

  answer(id: number, result?: TaskResult): void {
    const task = this.out.get(id);
    assert.ok(task, `task ${id} isn't out`);
    this.send({ type: "task", id, result: result ?? goodAnswer(task) });
  }

  /** Answers the oldest tasks well until `until` is out, or nothing is. */
  runTo(until?: TaskKind): number {
    for (;;) {
      const [first] = this.out;
      if (first === undefined) return -1;
      const found = [...this.out].find(([, task]) => task.kind === until);
      if (found !== undefined) return found[0];
      this.answer(first[0]);
    }
  }

  /** Fairness: what is out is answered, the SDK finishes, and timers fire. */
  runToEnd(): void {
    this.send({ type: "finish" });
    for (let i = 0; !this.state.done; i += 1) {
      assert.ok(i < 200, "doesn't come to its end");
      const [first] = this.out;
      if (first === undefined) this.send({ type: "deadline", which: "ending" });
      else this.answer(first[0]);
    }
    this.#monitor.ended(this.state);
  }

  tasks(): readonly Task[] {
    return this.trace.flatMap((effect) => (effect.kind === "task" ? [effect.task] : []));
  }

  kinds(): readonly TaskKind[] {
    return this.tasks().map((task) => task.kind);
  }
}

const NEEDS_CLEAR_HALT: ReadonlySet<TaskKind> = new Set([
  "reserve",
  "commitIntent",
  "grantChannel",
  "command",
]);

const BEFORE_BOOT: readonly TaskKind[] = ["armReaper", "appendJournal", "reserve", "commitIntent"];

class Monitor {
  readonly #asked: TaskKind[] = [];
  readonly #succeeded = new Set<TaskKind>();
  /** Whether the very last thing that happened was a clear look at the halt state. */
  #clear = false;
  #reservedAt: number | null = null;
  #done = 0;
  readonly #quiesced: readonly string[];
  readonly #shut = new Set<string>();

  constructor(quiesced: readonly string[]) {
    this.#quiesced = quiesced;
  }

  answered(task: Task | undefined, result: TaskResult): void {
    this.#clear = false;
    if (task === undefined || !result.ok) return;
    this.#succeeded.add(task.kind);
    if (result.value.kind === "reserved") this.#reservedAt = result.value.haltGeneration;
    if (task.kind === "checkHalt" && result.value.kind === "halt") {
      const { halted, generation } = result.value.reading;
      const same = this.#reservedAt === null || this.#reservedAt === generation;
      this.#clear = !halted && same;
    }
  }

  watch(effect: Effect): void {
    assert.equal(this.#done, 0, `${effect.kind} after done`);
    if (effect.kind === "done") this.#done += 1;
    if (effect.kind === "task") this.#watchTask(effect.task);
  }

  ended(state: LifecycleState): void {
    assert.equal(this.#done, 1);
    assert.equal(this.#count("settle"), 1, "settled exactly once");
    if (this.#asked.includes("createSlot")) {
      assert.equal(this.#count("destroySlot"), 1, "destroyed exactly once");
      assert.ok(this.#asked.indexOf("destroySlot") < this.#asked.indexOf("settle"));
    }
    if (this.#succeeded.has("openLog")) assert.equal(this.#count("endLog"), 1);
    if (state.settlement === "hold") assert.notEqual(state.verdict, "PASS");
    if (state.verdict === "PASS") assert.equal(state.ending?.kind, "completed");
    const bodyAsked = this.#asked.includes("spawnVmm");
    if (bodyAsked && !this.#succeeded.has("destroySlot")) assert.equal(state.settlement, "hold");
    if (bodyAsked) assert.ok(this.#asked.includes("revokeChannels"), "revoked at the end");
  }

  #watchTask(task: Task): void {
    if (NEEDS_CLEAR_HALT.has(task.kind)) assert.ok(this.#clear, `${task.kind} without halt check`);
    // commitIntent comes between the look before BOOT and the birth, and looks for itself.
    if (task.kind === "spawnVmm") {
      for (const kind of BEFORE_BOOT) assert.ok(this.#succeeded.has(kind), `boot before ${kind}`);
    }
    if (task.kind === "grantChannel" || task.kind === "command") {
      assert.ok(!this.#asked.includes("revokeChannels"), `${task.kind} after revoke`);
    }
    if (task.kind === "revokeChannel") this.#shut.add(task.channel);
    if (task.kind === "grantChannel") {
      assert.ok(!this.#shut.has(task.channel), "granted after its revocation");
    }
    if (task.kind === "collectArtifacts") {
      const open = this.#quiesced.filter((channel) => !this.#shut.has(channel));
      assert.deepEqual(open, [], "collected while there is a way out");
    }
    if (task.kind === "stopGuest") {
      const revoked = this.#asked.indexOf("revokeChannels");
      assert.notEqual(revoked, -1, "stopped before the channels were revoked");
      assert.ok(this.#asked.indexOf("checkpoint", revoked) > revoked, "revocation not durable");
    }
    if (task.kind === "deriveVerdict" && this.#asked.includes("endLog") === false) {
      assert.fail("verdict before the log ended");
    }
    if (task.kind === "settle" && task.how === "settle") {
      assert.ok(this.#succeeded.has("destroySlot"), "settled before the body was gone");
    }
    this.#asked.push(task.kind);
  }

  #count(kind: TaskKind): number {
    return this.#asked.filter((asked) => asked === kind).length;
  }
}
