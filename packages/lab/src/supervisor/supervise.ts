import { setTimeout as pause } from "node:timers/promises";
import { makeLink } from "../appliance/index.js";
import { type ExitReport, verifyExit } from "../exit/index.js";
import { chosenScenarios } from "../harness/chosen.js";
import type { Withheld } from "../report/index.js";
import { type Unexpected, unexpectedOf } from "../scenario/index.js";
import { requireExactPrivileges } from "./exact-privileges.js";
import { HandedStores } from "./handed-stores.js";
import type { HarnessJob } from "./harness-protocol.js";
import { listenToHarness } from "./listen.js";
import type { EndCause, RehearsalEvent, SupervisedExit } from "./model.js";
import { makePlace, type RehearsalPlace } from "./place.js";
import {
  killAll,
  type LabProcess,
  neighbours,
  startProcess,
  WITH_ITS_STARTER,
} from "./processes.js";
import { CANDIDATE, PLACE, PROXY_ADDRESS, type SetUp } from "./set-up.js";
import { StandIn } from "./stand-in.js";
import type { SupervisorJob } from "./starter-protocol.js";

/** From the end of playing on: until then the permission is proven gone, or counts as not. */
export const EXIT_MS = 30_000;

const BASE = "base";

export interface Supervision {
  readonly job: SupervisorJob;
  /** What the stand-in is set up with, and who may do what on it. */
  readonly makeSetUp: (stateDirectory: string) => Promise<SetUp>;
  /** Resolves when whoever started this wants no more of it, or is gone. */
  readonly stopped: Promise<EndCause>;
  readonly tell: (event: RehearsalEvent) => void;
}

export interface Supervised {
  readonly exit: SupervisedExit;
  /**
   * The values that kept files are searched for, which this process alone has all of. Null when it
   * ended before they were drawn: then nothing can have been written of them.
   */
  readonly withheld: readonly Withheld[] | null;
}

/**
 * One rehearsal from its stand-in to its exit. Whatever happens to the harness, to whoever started
 * this, or here: what was given is taken away again, and how that went is written and told.
 */
export const supervise = async (supervision: Supervision): Promise<Supervised> => {
  const rehearsal = new SupervisedRehearsal(supervision);
  await rehearsal.play();
  const exit = await rehearsal.exit();
  return { exit, withheld: rehearsal.withheld };
};

class SupervisedRehearsal {
  readonly #supervision: Supervision;
  #place: RehearsalPlace | null = null;
  #stores: HandedStores | null = null;
  #setUp: SetUp | null = null;
  #standIn: StandIn | null = null;
  #harness: LabProcess | null = null;
  #base: string | null = null;
  #cause: EndCause = "not-begun";
  #unexpected: Unexpected | null = null;
  #isOver = false;

  constructor(supervision: Supervision) {
    this.#supervision = supervision;
  }

  get withheld(): readonly Withheld[] | null {
    return this.#setUp?.withheld ?? null;
  }

  /** Returns when nothing more is to be played, for whatever reason. */
  async play(): Promise<void> {
    const { job, stopped } = this.#supervision;
    const ending = new AbortController();
    const deadline = pause(job.deadlineMs, "deadline" as const, { signal: ending.signal });
    // Aborted when nobody waits for it any more.
    deadline.catch(() => undefined);
    try {
      const heard = await this.#begin();
      // What throws from here on doesn't do so for want of a beginning.
      this.#cause = "supervisor-failed";
      this.#cause = await Promise.race([heard(), stopped, deadline]);
    } catch (error) {
      this.#unexpected = unexpectedOf(error);
    } finally {
      this.#isOver = true;
      ending.abort();
    }
  }

  /** Takes away what was given, and says how that went. Each part is done whatever became of the others. */
  async exit(): Promise<SupervisedExit> {
    const since = performance.now();
    const harnessIsGone = await this.#attempt(
      async () => this.#harness === null || (await killAll(this.#harness)),
      false,
    );
    const applianceAsBefore = await this.#attempt(() => this.#isAsBefore(), null);
    const shown = await this.#revoke(since);
    // What the harness had asked for before may still be done, and bring the permission back.
    const permissionRevoked = shown.permissionRevoked && applianceAsBefore !== null;
    const revocationMs = Math.round(performance.now() - since);
    // Nobody works on them any more.
    const interrupted = this.#stores?.scenario ?? null;
    const left = await this.#attempt(async () => this.#stores?.recover(Date.now) ?? null, null);
    this.#stores?.forget();
    const standInIsGone = await this.#attempt(
      async () => (await this.#standIn?.end()) ?? true,
      false,
    );
    const nobodyIsLeft = await this.#attempt(async () => neighbours().length === 0, false);
    const placeIsGone = await this.#attempt(async () => this.#place?.remove() ?? true, false);
    const report = (): SupervisedExit => ({
      permissionRevoked,
      readOnlyConfirmed: shown.readOnlyConfirmed,
      cause: this.#cause,
      unexpected: this.#unexpected,
      interrupted,
      contracts: left?.contracts ?? [],
      unreadable: left?.unreadable ?? [],
      applianceAsBefore,
      destroyed: harnessIsGone && standInIsGone && placeIsGone && nobodyIsLeft,
      dateExpiry: "unsupported",
      revocationMs,
    });
    await this.#attempt(async () => this.#place?.writeExit(report()), undefined);
    this.#supervision.tell({ type: "exit", report: report() });
    return report();
  }

  /** Up to the harness, which isn't started for an identity that may do anything else. */
  async #begin(): Promise<() => Promise<EndCause>> {
    const { job, tell, makeSetUp } = this.#supervision;
    const began = performance.now();
    const planned = chosenScenarios(job.scenarios).length * job.repeat;
    const place = makePlace(job.directory);
    this.#place = place;
    makeLink([PLACE.address, PROXY_ADDRESS], job.starter);
    const setUp = await makeSetUp(place.standIn);
    this.#setUp = setUp;
    const standIn = await StandIn.start(setUp.standIn);
    this.#standIn = standIn;
    const digest = await standIn.snapshot(BASE);
    this.#base = digest;
    requireExactPrivileges(await setUp.control.privileges());
    const stores = new HandedStores(place.scenarios);
    this.#stores = stores;
    tell({ type: "began", planned, digest });
    const task: HarnessJob = {
      labKey: setUp.labKey,
      candidate: CANDIDATE,
      appliance: { ...PLACE, ca: setUp.standIn.identity.caCertificatePem },
      proxyAddress: PROXY_ADDRESS,
      directory: place.scenarios,
      seed: job.seed,
      scenarios: job.scenarios,
      repeat: job.repeat,
      mutationsForMs: Math.max(0, Math.round(job.deadlineMs - (performance.now() - began))),
    };
    const harness = startProcess("harness", task, WITH_ITS_STARTER);
    this.#harness = harness;
    return async () => {
      const { played, unexpected } = await listenToHarness({
        harness,
        standIn,
        stores,
        base: { name: BASE, digest },
        onReport: (report) => tell({ type: "scenario", report }),
        isOver: () => this.#isOver,
      });
      this.#unexpected ??= unexpected;
      return played ? "played" : "harness-ended";
    };
  }

  /**
   * Also waits until everything is done that the harness had asked for: a snapshot that is restored
   * brings a permission back.
   */
  async #isAsBefore(): Promise<boolean | null> {
    if (this.#standIn === null || this.#base === null) return null;
    return (await this.#standIn.digest()) === this.#base;
  }

  async #revoke(since: number): Promise<ExitReport> {
    const unproven = { permissionRevoked: false, readOnlyConfirmed: false };
    const control = this.#setUp?.control ?? null;
    if (control === null) return unproven;
    const late = new AbortController();
    const given = Math.max(0, EXIT_MS - (performance.now() - since));
    const tooLate = pause(given, unproven, { signal: late.signal });
    tooLate.catch(() => undefined);
    const shown = await Promise.race([verifyExit(control), tooLate]);
    late.abort();
    return shown;
  }

  async #attempt<T>(work: () => Promise<T>, otherwise: T): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.#unexpected ??= unexpectedOf(error);
      return otherwise;
    }
  }
}
