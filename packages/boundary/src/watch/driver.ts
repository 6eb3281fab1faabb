import { DrydockError, isDrydockError } from "@drydock/evidence";
import type { BoundaryCode } from "../codes.js";
import type { EngineEvent } from "../engine/index.js";
import { driftFindings, type GateBinding, type GateFinding } from "../gate/index.js";
import type { ResidentKernel } from "../kernel/index.js";
import type { Ruleset } from "../model/index.js";
import {
  type ApplianceAim,
  type Check,
  type Expected,
  expectedOn,
  type GuestSources,
  observeGuest,
  rememberingCheck,
  type SignedImages,
} from "../observe/index.js";
import type { Difference } from "../readback/index.js";
import { type Proof, type Seen, see } from "../realise/index.js";
import { isIdle, judgeEngineEvent, judgeNetworks } from "./engine-event.js";
import { floorsFor } from "./floors.js";
import { glance } from "./glance.js";
import { killOwned } from "./kill-owned.js";
import { type Known, knownIn } from "./known.js";
import { type Look, lookAt, lookAtRules } from "./look.js";
import { Pulse } from "./pulse.js";
import { replacedContainers } from "./replaced.js";
import { step, type WatchEffect, type WatchEvent, watching } from "./step.js";

/** Upstream's supervisor waits as long between two observations. */
const PERIOD_MS = 2_000;
/** Nobody tells when a setting changes, and a drop has a second. */
const GLANCE_MS = 200;

export interface WatchRequest {
  readonly aim: ApplianceAim;
  readonly binding: GateBinding;
  readonly images: SignedImages;
  /** `report` only with --dev. */
  readonly mode: "close" | "report";
}

export interface WatchPorts extends Omit<GuestSources, "probe" | "probeEgress" | "kernel"> {
  readonly kernel: ResidentKernel;
  /** One item whenever rules of the namespace may have changed; its end is a failure. */
  readonly ruleEvents: (signal: AbortSignal) => AsyncIterable<unknown>;
  readonly check: Check;
  readonly report: (findings: readonly GateFinding[]) => void;
  /** Nothing was found; `observedAt` is before the first thing that it rests on was read. */
  readonly proven?: (proof: Proof, seen: Seen, observedAt: Date) => void;
  /** Whatever rests on the boundary is to end: its floor is being laid. */
  readonly closing?: () => void;
  readonly onEvent?: (event: WatchEvent) => void;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
  readonly clock: () => Date;
  /** Also ends with the signal, and is no failure then. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

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

class Watch {
  readonly #request: WatchRequest;
  readonly #ports: WatchPorts;
  readonly #signal: AbortSignal;
  readonly #running = new Set<Promise<unknown>>();
  readonly #check: Check;
  #state: ReturnType<typeof watching>;
  #held: Expected | null = null;
  #seen: Seen | null = null;
  #known: Known | null = null;
  /** Counts beginnings and ends of bindings, so that it is odd while something is being bound. */
  #bindings = 0;
  #binding: Promise<unknown> = Promise.resolve();
  #isLaid = false;
  readonly #rules = new Pulse();

  constructor(request: WatchRequest, ports: WatchPorts, signal: AbortSignal) {
    this.#request = request;
    this.#ports = ports;
    this.#signal = signal;
    this.#state = watching(request.mode);
    this.#check = rememberingCheck(ports.check);
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
    const { aim } = this.#request;
    const known = this.#known;
    const finding = known === null ? null : judgeEngineEvent(aim, known, event);
    if (finding !== null) this.#take({ kind: "drifted", findings: [finding] });
    if (known !== null && event.kind === "network" && event.action === "create") {
      void this.#track(
        this.#beside(async () => judgeNetworks(aim, known, await this.#ports.engine.networks())),
      );
    }
    this.#take({ kind: "stirred" });
  }

  /** Beside everything else that is being done: a rule that was changed lets pass by now. */
  async #readRules(): Promise<void> {
    this.#signal.addEventListener("abort", () => this.#rules.tell(), { once: true });
    while (!this.#signal.aborted) {
      await this.#rules.next();
      if (this.#signal.aborted) return;
      const held = this.#held;
      const before = this.#bindings;
      if (held !== null && this.#state.isOpen) {
        await this.#beside(async () => {
          const look = lookAtRules(held, await this.#ports.kernel.listing());
          // While something is bound two sets of rules are right; a look follows.
          const isQuiet = before % 2 === 0 && this.#bindings === before;
          return isQuiet && look?.kind === "drift" ? look.findings : [];
        });
      }
      this.#take({ kind: "stirred" });
    }
  }

  async #glances(): Promise<void> {
    while (!this.#signal.aborted) {
      if (this.#state.isOpen) {
        const { aim } = this.#request;
        await this.#beside(() => glance(aim, this.#seen, this.#ports.kernel));
      }
      await this.#ports.wait(GLANCE_MS, this.#signal);
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

  async #tick(): Promise<void> {
    while (!this.#signal.aborted) {
      await this.#ports.wait(PERIOD_MS, this.#signal);
      this.#take({ kind: "tick" });
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

  #fail(what: Failing, error: unknown): void {
    this.#take({ kind: "failed", what, code: isDrydockError(error) ? error.code : "UNEXPECTED" });
  }

  async #done(effect: Exclude<WatchEffect, { readonly kind: "report" }>): Promise<WatchEvent> {
    switch (effect.kind) {
      case "look":
        return await this.#look(effect.afterMs);
      case "bind":
        this.#binding = this.#bind(effect.to);
        await this.#binding;
        return { kind: "bound" };
      case "observe":
        return await this.#observe();
      case "drop":
        await this.#drop();
        return { kind: "dropped" };
    }
  }

  async #look(afterMs: number): Promise<WatchEvent> {
    if (afterMs > 0) await this.#ports.wait(afterMs, this.#signal);
    const look = await this.#lookAtAll();
    return { kind: "looked", look, at: this.#ports.now() };
  }

  async #lookAtAll(): Promise<Look> {
    const { aim } = this.#request;
    const seen = await see(aim, this.#ports);
    this.#known ??= knownIn(aim, seen);
    // The first look has nothing to compare with but what follows from plan and policy.
    this.#held ??= expectedOn(aim, seen.topology);
    this.#see(seen);
    const replaced = replacedContainers(aim, this.#known, seen);
    const look = lookAt(aim, this.#held, seen);
    if (look.kind === "drift" || replaced.length === 0) return look;
    return {
      kind: "drift",
      findings: replaced.map((about) => ({ code: "boundary.guest-observation-gap", about })),
    };
  }

  /** What a floor has to cover is known before one is needed. */
  #see(seen: Seen): void {
    this.#seen = seen;
    this.#prepare();
  }

  #prepare(): void {
    this.#ports.kernel.prepare(
      floorsFor(this.#request.aim, this.#held, this.#seen?.topology ?? null),
    );
  }

  async #observe(): Promise<WatchEvent> {
    const { aim, binding, images } = this.#request;
    const { policy } = aim.wanted.platform;
    const observedAt = this.#ports.clock();
    const sources = { ...this.#ports, probe: null, probeEgress: null };
    let proven: (() => void) | null = null;
    const guest = await observeGuest(aim, images, sources, {
      check: this.#check,
      onProof: (proof, seen) => {
        proven = () => this.#ports.proven?.(proof, seen, observedAt);
      },
    });
    const findings = driftFindings({ policy, binding, guest });
    if (findings.length === 0 && this.#state.isOpen) (proven as (() => void) | null)?.();
    return { kind: "observed", findings, at: this.#ports.now() };
  }

  async #bind(to: Expected): Promise<void> {
    if (!this.#state.isOpen) return;
    this.#bindings += 1;
    try {
      const now: Ruleset[] = [...(this.#held?.rulesets ?? [])];
      for (const ruleset of to.rulesets) {
        const at = now.findIndex(({ authority }) => authority === ruleset.authority);
        if (now[at]?.digest === ruleset.digest) continue;
        if (!this.#state.isOpen) return;
        await this.#ports.kernel.load(ruleset, now.toSpliced(at, 1));
        now[at] = ruleset;
      }
      this.#held = to;
      this.#prepare();
    } finally {
      this.#bindings += 1;
    }
  }

  /**
   * First what is prepared, and then the rest: what was being bound meanwhile may have opened it
   * again, and a network that was made meanwhile has a bridge that no floor covers. What no floor
   * contains may not run.
   */
  async #drop(): Promise<void> {
    const { aim } = this.#request;
    const { kernel, engine } = this.#ports;
    this.#ports.closing?.();
    try {
      if (this.#seen === null) this.#prepare();
      const laid = this.#isLaid ? await kernel.keep() : await kernel.lay();
      this.#isLaid = true;
      await this.#binding.catch(() => undefined);
      await this.#seeAgain();
      requireFloor([...laid, ...(await kernel.keep())]);
    } catch (error) {
      await killOwned(aim.wanted.owner, engine);
      throw error;
    }
  }

  async #seeAgain(): Promise<void> {
    try {
      this.#see(await see(this.#request.aim, this.#ports));
    } catch (error) {
      // An engine that is gone makes no network either.
      if (!isDrydockError(error)) throw error;
    }
  }
}

const requireFloor = ([difference]: readonly Difference[]): void => {
  if (difference === undefined) return;
  throw new DrydockError<BoundaryCode>(
    "FLOOR_UNPROVEN",
    `what was laid isn't all that holds: ${difference.kind}`,
    { fix: "see who else changes rules in this namespace" },
  );
};
