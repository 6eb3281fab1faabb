import { isDrydockError } from "@drydock/evidence";
import { driftFindings, type GateBinding, type GateFinding } from "../gate/index.js";
import type { Ruleset } from "../model/index.js";
import {
  type ApplianceAim,
  type Expected,
  expectedOn,
  type GuestSources,
  observeGuest,
  rememberingCheck,
  type SignedImages,
} from "../observe/index.js";
import { type Seen, see } from "../realise/index.js";
import { allDone } from "./all-done.js";
import { floorsFor } from "./floors.js";
import { killOwned } from "./kill-owned.js";
import { type Look, lookAt, lookAtRules } from "./look.js";
import { step, type WatchEffect, type WatchEvent, watching } from "./step.js";

/** Upstream's supervisor waits as long between two observations. */
export const PERIOD_MS = 2_000;

export interface WatchRequest {
  readonly aim: ApplianceAim;
  readonly binding: GateBinding;
  readonly images: SignedImages;
  /** `report` only with --dev. */
  readonly mode: "close" | "report";
}

export interface WatchPorts extends Omit<GuestSources, "probe" | "probeEgress"> {
  /** One item whenever rules of the namespace may have changed; its end is a failure. */
  readonly ruleEvents: (signal: AbortSignal) => AsyncIterable<unknown>;
  readonly report: (findings: readonly GateFinding[]) => void;
  readonly onEvent?: (event: WatchEvent) => void;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
  /** Also ends with the signal, and is no failure then. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Watches a boundary that was applied, until the signal. In mode `close` whatever isn't as it has to
 * be ends in the floors of both authorities; only a new apply opens it again.
 */
export const watchBoundary = async (
  request: WatchRequest,
  ports: WatchPorts,
  signal: AbortSignal,
): Promise<void> => {
  const watch = new Watch(request, ports, signal);
  await watch.run();
};

class Watch {
  readonly #request: WatchRequest;
  readonly #ports: WatchPorts;
  readonly #signal: AbortSignal;
  readonly #running = new Set<Promise<unknown>>();
  #state: ReturnType<typeof watching>;
  #held: Expected | null = null;
  #seen: Seen | null = null;
  /** Writes to the kernel, one after another: a floor is never followed by what was begun before. */
  #writes: Promise<unknown> = Promise.resolve();

  /** While nothing moves every observation asks the same. */
  readonly #check = rememberingCheck();
  /** The next one that the kernel tells of. */
  #ruleChange = nextChange();

  constructor(request: WatchRequest, ports: WatchPorts, signal: AbortSignal) {
    this.#request = request;
    this.#ports = ports;
    this.#signal = signal;
    this.#state = watching(request.mode);
  }

  async run(): Promise<void> {
    const { engine, ruleEvents } = this.#ports;
    // Sources first: what happens during the first look is seen after it.
    const sources = [
      this.#follow(engine.events(this.#signal)),
      this.#follow(ruleEvents(this.#signal), () => this.#tellRuleChange()),
      this.#tick(),
    ];
    this.#take({ kind: "tick" });
    await Promise.all(sources);
    await Promise.allSettled(this.#running);
  }

  async #follow(events: AsyncIterable<unknown>, tell: () => void = () => undefined): Promise<void> {
    try {
      for await (const _event of events) {
        tell();
        this.#take({ kind: "stirred" });
      }
      if (!this.#signal.aborted) this.#fail("source", new Error("ended"));
    } catch (error) {
      if (!this.#signal.aborted) this.#fail("source", error);
    }
  }

  #tellRuleChange(): void {
    const { tell } = this.#ruleChange;
    this.#ruleChange = nextChange();
    tell();
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
  #track<T>(work: Promise<T>): Promise<T> {
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

  #fail(what: Extract<WatchEvent, { readonly kind: "failed" }>["what"], error: unknown): void {
    this.#take({ kind: "failed", what, code: isDrydockError(error) ? error.code : "UNEXPECTED" });
  }

  async #done(effect: Exclude<WatchEffect, { readonly kind: "report" }>): Promise<WatchEvent> {
    switch (effect.kind) {
      case "look":
        return await this.#look(effect.afterMs);
      case "bind":
        await this.#write(() => this.#bind(effect.to));
        return { kind: "bound" };
      case "observe":
        return await this.#observe();
      case "drop":
        await this.#write(() => this.#drop());
        return { kind: "dropped" };
    }
  }

  async #look(afterMs: number): Promise<WatchEvent> {
    if (afterMs > 0) await this.#ports.wait(afterMs, this.#signal);
    const look = (await this.#lookAtRules()) ?? (await this.#lookAtAll());
    return { kind: "looked", look, at: this.#ports.now() };
  }

  async #lookAtRules(): Promise<Look | null> {
    return this.#held === null ? null : lookAtRules(this.#held, await this.#ports.kernel.listing());
  }

  /** Asking everybody takes long: rules that change meanwhile are looked at meanwhile. */
  async #lookAtAll(): Promise<Look> {
    let changed = this.#ruleChange.promise;
    const whole = this.#track(this.#lookAtEach());
    for (;;) {
      const look = await Promise.race([whole, changed]);
      if (look !== undefined) return look;
      changed = this.#ruleChange.promise;
      const drift = await this.#lookAtRules();
      if (drift !== null) return drift;
    }
  }

  async #lookAtEach(): Promise<Look> {
    const { aim } = this.#request;
    const seen = await see(aim, this.#ports);
    this.#seen = seen;
    // The first look has nothing to compare with but what follows from plan and policy.
    this.#held ??= expectedOn(aim, seen.topology);
    return lookAt(aim, this.#held, seen);
  }

  async #observe(): Promise<WatchEvent> {
    const { aim, binding, images } = this.#request;
    const { policy } = aim.wanted.platform;
    const sources = { ...this.#ports, probe: null, probeEgress: null };
    const guest = await observeGuest(aim, images, sources, this.#check);
    return {
      kind: "observed",
      findings: driftFindings({ policy, binding, guest }),
      at: this.#ports.now(),
    };
  }

  async #bind(to: Expected): Promise<void> {
    if (!this.#state.isOpen) return;
    const held = this.#held?.rulesets ?? [];
    const now: Ruleset[] = [...held];
    for (const ruleset of to.rulesets) {
      const at = now.findIndex(({ authority }) => authority === ruleset.authority);
      if (now[at]?.digest === ruleset.digest) continue;
      await this.#ports.kernel.load(ruleset, now.toSpliced(at, 1));
      now[at] = ruleset;
    }
    this.#held = to;
  }

  /** What no floor contains, as where somebody else holds its table's name, may not run. */
  async #drop(): Promise<void> {
    const { engine, kernel } = this.#ports;
    const floors = floorsFor(this.#request.aim, this.#held, this.#seen?.topology ?? null);
    try {
      await allDone(
        floors.map((floor) =>
          kernel.load(
            floor,
            floors.filter((other) => other !== floor),
          ),
        ),
      );
    } catch (error) {
      await killOwned(this.#request.aim.wanted.owner, engine);
      throw error;
    }
  }

  #write(work: () => Promise<void>): Promise<void> {
    const written = this.#writes.then(work);
    this.#writes = written.catch(() => undefined);
    return written;
  }
}

interface Change {
  readonly promise: Promise<undefined>;
  readonly tell: () => void;
}

const nextChange = (): Change => {
  let tell: () => void = () => undefined;
  const promise = new Promise<undefined>((resolve) => {
    tell = () => resolve(undefined);
  });
  return { promise, tell };
};
