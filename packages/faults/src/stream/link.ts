import { chanceOf, draw } from "../chance/index.js";
import type { Timers } from "../timers.js";
import { type HeldBytes, isFull } from "./held.js";
import { CHUNK_BYTES } from "./limits.js";
import {
  type Effect,
  type Output,
  type Scheduled,
  startToxic,
  stepToxic,
  type ToxicEvent,
  type ToxicState,
} from "./toxics/index.js";

/** A toxic as a proxy has it. */
export interface Toxic {
  readonly name: string;
  /** The share of connections that it affects. */
  readonly toxicity: number;
  readonly effect: Effect;
}

export interface LinkOptions {
  readonly toxics: readonly Toxic[];
  /** With the toxic's name it decides which connections a toxic affects, and how. */
  readonly seed: number;
  readonly timers: Timers;
  readonly held: HeldBytes;
  readonly onOutput: (output: Output) => void;
  /** What was held back has become less. */
  readonly onRoom: () => void;
}

interface Stage {
  toxic: Toxic;
  readonly affects: number;
  state: ToxicState;
  /** In the order in which they leave. */
  waiting: Scheduled[];
}

/** One direction of one connection: the toxics that everything passes, in the order of their adding. */
export class Link {
  readonly #options: LinkOptions;
  readonly #stages: Stage[] = [];
  #held = 0;
  #cancelWake: (() => void) | null = null;
  #closed = false;

  constructor(options: LinkOptions) {
    this.#options = options;
    for (const toxic of options.toxics) this.add(toxic);
  }

  /** Nothing to pass through and nothing held: bytes may go straight on. */
  get isClear(): boolean {
    return this.#stages.length === 0;
  }

  get isFull(): boolean {
    return isFull(this.#held, this.#options.held);
  }

  /** @param output whose bytes are the link's from now on */
  push(output: Output): void {
    this.#feed(0, output, this.#options.timers.now());
    this.#wakeLater();
  }

  add(toxic: Toxic): void {
    const chance = chanceOf(this.#options.seed, toxic.name);
    const [affects] = draw(chance);
    const stage = { toxic, affects, state: startToxic(chance), waiting: [] };
    this.#stages.push(stage);
    this.#step(this.#stages.length - 1, { type: "start", at: this.#options.timers.now() });
    this.#wakeLater();
  }

  /** What waited goes on at once, under the new attributes only what comes. */
  update(toxic: Toxic): void {
    const index = this.#stages.findIndex((stage) => stage.toxic.name === toxic.name);
    const stage = this.#stages[index];
    if (stage === undefined) return;
    const at = this.#options.timers.now();
    const waiting = this.#drain(stage);
    const wasOver = stage.state.over;
    stage.toxic = toxic;
    stage.state = { ...stage.state, busyUntil: at, over: false };
    this.#step(index, { type: "start", at });
    for (const output of waiting) {
      if (output.kind === "data" || (wasOver && output.kind === "reset"))
        this.#feed(index + 1, output, at);
      // An end waits anew; the close of a time-out that was changed doesn't come.
      else if (wasOver) this.#step(index, { type: "end", at, how: output.kind });
    }
    this.#wakeLater();
  }

  /** What waited goes on at once; what a time-out swallowed is gone, and with it the connection. */
  remove(name: string): void {
    const index = this.#stages.findIndex((stage) => stage.toxic.name === name);
    const [stage] = index === -1 ? [] : this.#stages.splice(index, 1);
    if (stage === undefined) return;
    const at = this.#options.timers.now();
    const waiting = this.#drain(stage);
    const swallowed = stage.toxic.effect.type === "timeout" && affects(stage);
    for (const output of swallowed ? [{ kind: "close" } as const] : waiting)
      this.#feed(index, output, at);
    this.#wakeLater();
  }

  close(): void {
    this.#closed = true;
    this.#cancelWake?.();
    this.#cancelWake = null;
    this.#count(-this.#held);
    this.#stages.length = 0;
  }

  #feed(index: number, output: Output, at: number): void {
    if (this.#closed) return;
    const stage = this.#stages[index];
    if (stage === undefined) this.#options.onOutput(output);
    else if (!affects(stage)) this.#feed(index + 1, output, at);
    else if (output.kind === "data") this.#step(index, { type: "data", at, bytes: output.bytes });
    else this.#step(index, { type: "end", at, how: output.kind });
  }

  #step(index: number, event: ToxicEvent): void {
    const stage = this.#stages[index];
    if (stage === undefined || !affects(stage)) return;
    const { state, scheduled } = stepToxic(stage.toxic.effect, stage.state, event);
    stage.state = state;
    // What ends it is all that still comes: a time-out's own end doesn't.
    if (state.over && event.type === "end" && stage.toxic.effect.type === "timeout")
      this.#drain(stage);
    for (const one of scheduled) this.#schedule(stage, one);
    this.#release(index);
  }

  #schedule(stage: Stage, scheduled: Scheduled): void {
    stage.waiting.push(scheduled);
    this.#count(sizeOf(scheduled.output));
  }

  #release(index: number): void {
    const stage = this.#stages[index];
    if (stage === undefined) return;
    const now = this.#options.timers.now();
    const due = stage.waiting.findIndex(({ at }) => at > now);
    const leaving = stage.waiting.splice(0, due === -1 ? stage.waiting.length : due);
    for (const { output, at } of leaving) {
      this.#count(-sizeOf(output));
      // It goes on as of when it was due: waits add up, and what a timer is late doesn't.
      this.#feed(this.#stages.indexOf(stage) + 1, output, Math.min(at, now));
    }
  }

  #drain(stage: Stage): readonly Output[] {
    const outputs = stage.waiting.map(({ output }) => output);
    stage.waiting = [];
    for (const output of outputs) this.#count(-sizeOf(output));
    return outputs;
  }

  #count(bytes: number): void {
    this.#held += bytes;
    this.#options.held.total += bytes;
  }

  #wakeLater(): void {
    this.#cancelWake?.();
    this.#cancelWake = null;
    const { timers } = this.#options;
    const at = Math.min(...this.#stages.map(({ waiting }) => waiting[0]?.at ?? Infinity));
    if (this.#closed || at === Infinity) return;
    this.#cancelWake = timers.after(Math.max(1, Math.ceil(at - timers.now())), () => this.#wake());
  }

  #wake(): void {
    // The last first: what leaves one isn't looked at twice.
    for (let index = this.#stages.length - 1; index >= 0; index -= 1) this.#release(index);
    this.#wakeLater();
    this.#options.onRoom();
  }
}

/** A share of 0 is nobody, and of 1 everybody. */
const affects = ({ affects: drawn, toxic }: Stage): boolean => drawn < toxic.toxicity;

const sizeOf = (output: Output): number =>
  CHUNK_BYTES + (output.kind === "data" ? output.bytes.length : 0);
