import { isDrydockError } from "@drydock/evidence";
import type { EngineEvent } from "../engine/index.js";
import type { GateFinding } from "../gate/index.js";
import { isIdle } from "./engine-event.js";
import type { WatchPorts, WatchRequest } from "./ports.js";
import { Pulse } from "./pulse.js";
import { step, type WatchEffect, type WatchEvent, type WatchState, watching } from "./step.js";
import { Watched } from "./watched.js";

/** Upstream's supervisor waits as long between two observations. */
const PERIOD_MS = 2_000;
/** Nobody tells when a setting changes, and a drop has a second. */
const GLANCE_MS = 200;

/**
 * Watches a boundary that was applied, until the signal. In mode `close` whatever isn't as it has to
 * be ends in the floors of both authorities; only a new apply opens it again.
 *
 * @returns whether it is still open
 */
export const watchBoundary = async (
  request: WatchRequest,
  ports: WatchPorts,
  signal: AbortSignal,
): Promise<boolean> => new Watch(request, ports, signal).run();

type Failing = Extract<WatchEvent, { readonly kind: "failed" }>["what"];

/** Events in, effects out: what each means is `step`'s. */
class Watch {
  readonly #ports: WatchPorts;
  readonly #signal: AbortSignal;
  readonly #watched: Watched;
  readonly #running = new Set<Promise<unknown>>();
  readonly #rules = new Pulse();
  #state: WatchState;

  constructor(request: WatchRequest, ports: WatchPorts, signal: AbortSignal) {
    this.#ports = ports;
    this.#signal = signal;
    this.#state = watching(request.mode);
    this.#watched = new Watched(request, ports, () => this.#state.isOpen);
  }

  async run(): Promise<boolean> {
    const { engine, ruleEvents } = this.#ports;
    // Sources first: what happens during the first look is seen after it.
    const sources = [
      this.#follow(engine.events(this.#signal), (event) => this.#hear(event)),
      this.#follow(ruleEvents(this.#signal), () => this.#rules.tell()),
      this.#readRules(),
      this.#glances(),
      this.#tick(),
    ];
    this.#take({ kind: "tick" });
    await Promise.all(sources);
    await Promise.allSettled(this.#running);
    return this.#state.isOpen;
  }

  async #follow<T>(events: AsyncIterable<T>, hear: (event: T) => void): Promise<void> {
    try {
      for await (const event of events) hear(event);
      if (!this.#signal.aborted) this.#fail("source", new Error("ended"));
    } catch (error) {
      if (!this.#signal.aborted) this.#fail("source", error);
    }
  }

  #hear(event: EngineEvent): void {
    if (isIdle(event)) return;
    const finding = this.#watched.judge(event);
    if (finding !== null) this.#take({ kind: "drifted", findings: [finding] });
    if (event.kind === "network" && event.action === "create") {
      void this.#track(this.#beside(() => this.#watched.strayNetworks()));
    }
    this.#take({ kind: "stirred" });
  }

  /** Beside everything else that is being done. */
  async #readRules(): Promise<void> {
    this.#signal.addEventListener("abort", () => this.#rules.tell(), { once: true });
    while (!this.#signal.aborted) {
      await this.#rules.next();
      if (this.#signal.aborted) return;
      await this.#beside(() => this.#watched.ruleDrift());
      this.#take({ kind: "stirred" });
    }
  }

  async #glances(): Promise<void> {
    while (!this.#signal.aborted) {
      await this.#beside(() => this.#watched.glance());
      await this.#ports.wait(GLANCE_MS, this.#signal);
    }
  }

  async #tick(): Promise<void> {
    while (!this.#signal.aborted) {
      await this.#ports.wait(PERIOD_MS, this.#signal);
      this.#take({ kind: "tick" });
    }
  }

  async #beside(look: () => Promise<readonly GateFinding[]>): Promise<void> {
    try {
      const findings = await look();
      if (findings.length > 0) this.#take({ kind: "drifted", findings });
    } catch (error) {
      this.#fail("glance", error);
    }
  }

  #take(event: WatchEvent): void {
    if (this.#signal.aborted) return;
    this.#ports.onEvent?.(event);
    const { state, effects } = step(this.#state, event);
    this.#state = state;
    for (const effect of effects) void this.#track(this.#perform(effect));
  }

  /** Nothing of it is left when the watch ends. */
  #track(work: Promise<void>): Promise<void> {
    const running = work.finally(() => this.#running.delete(running));
    this.#running.add(running);
    return running;
  }

  async #perform(effect: WatchEffect): Promise<void> {
    if (effect.kind === "report") return this.#ports.report(effect.findings);
    try {
      this.#take(await this.#done(effect));
    } catch (error) {
      this.#fail(effect.kind, error);
    }
  }

  async #done(effect: Exclude<WatchEffect, { readonly kind: "report" }>): Promise<WatchEvent> {
    switch (effect.kind) {
      case "look": {
        if (effect.afterMs > 0) await this.#ports.wait(effect.afterMs, this.#signal);
        const look = await this.#watched.look();
        return { kind: "looked", look, at: this.#ports.now() };
      }
      case "bind":
        await this.#watched.bind(effect.to);
        return { kind: "bound" };
      case "observe": {
        const findings = await this.#watched.observe();
        return { kind: "observed", findings, at: this.#ports.now() };
      }
      case "drop":
        await this.#watched.drop();
        return { kind: "dropped" };
    }
  }

  #fail(what: Failing, error: unknown): void {
    this.#take({ kind: "failed", what, code: isDrydockError(error) ? error.code : "UNEXPECTED" });
  }
}
