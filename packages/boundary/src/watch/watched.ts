import { DrydockError, isDrydockError } from "@drydock/evidence";
import type { BoundaryCode } from "../codes.js";
import type { EngineEvent } from "../engine/index.js";
import { driftFindings, type GateFinding } from "../gate/index.js";
import type { Ruleset } from "../model/index.js";
import { type Check, observeGuest, rememberingCheck } from "../observe/index.js";
import type { Difference } from "../readback/index.js";
import { type Expected, expectedOn, type Seen, see } from "../realise/index.js";
import { judgeEngineEvent, judgeNetworks } from "./engine-event.js";
import { floorsFor } from "./floors.js";
import { glance } from "./glance.js";
import { type Holding, heldIn, settledOn, UNKNOWN, wasQuiet } from "./holding.js";
import { killOwned } from "./kill-owned.js";
import { type Known, knownIn } from "./known.js";
import { type Look, lookAt, lookAtRules } from "./look.js";
import type { WatchPorts, WatchRequest } from "./ports.js";
import { replacedContainers } from "./replaced.js";

/**
 * The boundary that is watched: what is remembered of it, and everything that is asked of engine and
 * kernel about it. When each is asked is the step's.
 */
export class Watched {
  readonly #request: WatchRequest;
  readonly #ports: WatchPorts;
  readonly #isOpen: () => boolean;
  readonly #check: Check;
  #holding: Holding = UNKNOWN;
  #seen: Seen | null = null;
  #known: Known | null = null;
  #isLaid = false;

  constructor(request: WatchRequest, ports: WatchPorts, isOpen: () => boolean) {
    this.#request = request;
    this.#ports = ports;
    this.#isOpen = isOpen;
    this.#check = rememberingCheck(ports.check);
  }

  /** What an event of the engine's says is wrong by itself; null also before the first look. */
  judge(event: EngineEvent): GateFinding | null {
    return this.#known === null ? null : judgeEngineEvent(this.#request.aim, this.#known, event);
  }

  /** Networks that play one of the boundary's. */
  async strayNetworks(): Promise<readonly GateFinding[]> {
    const known = this.#known;
    if (known === null) return [];
    return judgeNetworks(this.#request.aim, known, await this.#ports.engine.networks());
  }

  /** What the rules alone say. A rule that was changed lets pass by now, so nothing else is waited for. */
  async ruleDrift(): Promise<readonly GateFinding[]> {
    const before = this.#holding;
    const held = heldIn(before);
    if (held === null || !this.#isOpen()) return [];
    const look = lookAtRules(held, await this.#ports.kernel.listing());
    // While something is bound two sets of rules are right; a look follows.
    return look?.kind === "drift" && wasQuiet(before, this.#holding) ? look.findings : [];
  }

  /** What nobody tells of. */
  async glance(): Promise<readonly GateFinding[]> {
    return this.#isOpen() ? await glance(this.#request.aim, this.#seen, this.#ports.kernel) : [];
  }

  async look(): Promise<Look> {
    const { aim } = this.#request;
    const before = this.#seen;
    const seen = await see(aim, this.#ports);
    this.#known ??= knownIn(aim, seen);
    // The first look has nothing to compare with but what follows from plan and policy.
    const held = heldIn(this.#holding) ?? expectedOn(aim, seen.topology);
    if (this.#holding.kind === "unknown") this.#holding = settledOn(held);
    this.#see(seen);
    const replaced = replacedContainers(aim, this.#known, seen);
    const look = lookAt(aim, held, seen, before);
    if (look.kind === "drift" || replaced.length === 0) return look;
    return {
      kind: "drift",
      findings: replaced.map((about) => ({ code: "boundary.guest-observation-gap", about })),
    };
  }

  async bind(to: Expected): Promise<void> {
    if (!this.#isOpen()) return;
    const from = heldIn(this.#holding);
    const done = this.#load(from, to);
    this.#holding = { kind: "changing", from, done };
    let held = from;
    try {
      if (await done) held = to;
    } finally {
      this.#holding = settledOn(held);
    }
    this.#prepare();
  }

  async observe(): Promise<readonly GateFinding[]> {
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
    if (findings.length === 0 && this.#isOpen()) (proven as (() => void) | null)?.();
    return findings;
  }

  /**
   * First what is prepared, and then the rest: what was being bound meanwhile may have opened it
   * again, and a network that was made meanwhile has a bridge that no floor covers. What no floor
   * contains may not run.
   */
  async drop(): Promise<void> {
    const { kernel, engine } = this.#ports;
    this.#ports.closing?.();
    try {
      if (this.#seen === null) this.#prepare();
      const laid = this.#isLaid ? await kernel.keep() : await kernel.lay();
      this.#isLaid = true;
      if (this.#holding.kind === "changing") await this.#holding.done.catch(() => undefined);
      await this.#seeAgain();
      requireFloor([...laid, ...(await kernel.keep())]);
    } catch (error) {
      await killOwned(this.#request.aim.wanted.owner, engine);
      throw error;
    }
  }

  /** One authority after the other; false: it was closed meanwhile, and nothing more is loaded. */
  async #load(from: Expected | null, to: Expected): Promise<boolean> {
    const now: Ruleset[] = [...(from?.rulesets ?? [])];
    for (const ruleset of to.rulesets) {
      const at = now.findIndex(({ authority }) => authority === ruleset.authority);
      if (now[at]?.digest === ruleset.digest) continue;
      if (!this.#isOpen()) return false;
      await this.#ports.kernel.load(ruleset, now.toSpliced(at, 1));
      now[at] = ruleset;
    }
    return true;
  }

  /** What a floor has to cover is known before one is needed. */
  #see(seen: Seen): void {
    this.#seen = seen;
    this.#prepare();
  }

  #prepare(): void {
    const { aim } = this.#request;
    this.#ports.kernel.prepare(floorsFor(aim, heldIn(this.#holding), this.#seen?.topology ?? null));
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
