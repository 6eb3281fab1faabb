import { setTimeout as pause } from "node:timers/promises";
import { pfsenseAliasDescription as adapter, observe } from "@drydock/acceptance";
import type { ExchangeRecord, Operation, Phase } from "@drydock/faults";
import type { Edit, KillPoint, Scenario, Step } from "../model.js";
import type { Observed } from "../oracle.js";
import type { TransitionRow } from "../record.js";
import { transitionRow } from "../record.js";
import { openSession, type Session } from "../session.js";
import { unexpectedOf } from "../unexpected.js";
import { keyText } from "../worker/job.js";
import { runWorker } from "../worker/start.js";
import type { ApplianceView, World } from "../world.js";
import { editAtConsole } from "./edit.js";
import { openedOrRefused } from "./look.js";
import type { Found } from "./operator.js";
import { filesWith } from "./search.js";
import { ASKED_DESCRIPTION, HOLD_MS, type Stage } from "./stage.js";
import { type Tamperer, tampererOf } from "./tamper.js";

const LOOK_AGAIN_MS = 5;

/** Takes the steps of one scenario on its stage. */
export class Play {
  readonly #world: World;
  readonly #before: ApplianceView;
  readonly #stage: Stage;
  readonly #tamperer: Tamperer;
  readonly #seed: number;
  #session: Session | null = null;
  #contractId = "";
  /** By the proxy's name for it. */
  readonly #armings = new Map<string, string>();
  /** Kills, and edits on the way. */
  readonly #others: { readonly what: string; readonly came: boolean }[] = [];
  /** What was expected of single steps, and wasn't so. */
  readonly failures: string[] = [];
  edited: ApplianceView | null = null;
  sentLast = ASKED_DESCRIPTION;

  constructor(world: World, before: ApplianceView, stage: Stage, seed: number) {
    this.#world = world;
    this.#before = before;
    this.#stage = stage;
    this.#tamperer = tampererOf(stage.handed.directory, stage.aside);
    this.#seed = seed;
  }

  async take({ steps }: Pick<Scenario, "steps">): Promise<void> {
    for (const step of steps) await this.#expecting(step, () => this.#take(step));
  }

  close(): void {
    this.#session?.close();
    this.#session = null;
  }

  /** Faults that were armed and had no effect, in words; null when nothing was armed. */
  faultsInVain(exchanges: readonly ExchangeRecord[]): readonly string[] | null {
    const took = (arming: string): boolean =>
      exchanges.some(({ fault }) => fault?.arming === arming && fault.took.length > 0);
    const all = [
      ...[...this.#armings].map(([arming, what]) => ({ what, came: took(arming) })),
      ...this.#others,
    ];
    return all.length === 0 ? null : all.filter(({ came }) => !came).map(({ what }) => what);
  }

  /** What somebody finds who begins again over the same store. */
  found(): Pick<Observed, "state" | "reservation"> & { readonly transitions: TransitionRow[] } {
    this.close();
    const session = openedOrRefused(() => openSession(this.#stage.session));
    if (session === null)
      return { state: "STORE_REFUSED", reservation: "unknown", transitions: [] };
    try {
      const { store } = session;
      const contract = store.load(this.#contractId);
      const held = store.reservationOf(contract.targetIdentityDigest) !== null;
      return {
        state: contract.state,
        reservation: held ? "held" : "free",
        transitions: store
          .contracts()
          .flatMap(({ contractId }) => store.audit(contractId))
          .map(transitionRow),
      };
    } finally {
      session.close();
    }
  }

  async #take(step: Step): Promise<void> {
    switch (step.do) {
      case "prepare":
        return await this.#prepare();
      case "confirm":
        return this.#confirm();
      case "execute":
      case "rollback":
        return step.meanwhile === undefined
          ? await this.#run(step.do)
          : await this.#runMeanwhile(step.do, step.meanwhile);
      case "edit":
        return await this.#edit(step.edit);
      case "arm":
        return await this.#arm(step);
      case "unplug":
        return this.#stage.unplug();
      case "kill":
        return await this.#kill(step.during, step.at);
      case "restart":
        this.close();
        return void this.#opened();
      case "sign":
        return await this.#sign(step);
      case "tamper":
        return this.#tamper(step.how);
      case "wait":
        this.#stage.clock.aheadMs += step.ms;
        return;
      case "search":
        return this.#search();
    }
  }

  /** What should be refused and isn't, or otherwise than it should be, is a failure. */
  async #expecting(step: Step, take: () => Promise<void>): Promise<void> {
    const refusedWith = "refusedWith" in step ? step.refusedWith : undefined;
    if (refusedWith === undefined) return await take();
    const got = await take().then(
      () => "accepted",
      (error: unknown) => unexpectedOf(error).code,
    );
    if (got !== refusedWith) this.failures.push(`${step.do}: ${got}, not ${refusedWith}`);
  }

  #opened(): Session {
    this.#session ??= openSession(this.#stage.session);
    return this.#session;
  }

  async #prepare(): Promise<void> {
    await this.#world.proxy.begin("forward");
    const prepared = await this.#opened().executor.prepare(adapter, this.#stage.intent);
    this.#contractId = prepared.contractId;
    this.#tamperer.remember();
  }

  #confirm(): void {
    const { store, executor } = this.#opened();
    const evidence = this.#stage.operator.confirm(store.load(this.#contractId), store.now());
    executor.confirm(this.#contractId, evidence);
  }

  async #run(what: "execute" | "rollback"): Promise<void> {
    const { executor } = this.#opened();
    await this.#begin(what);
    if (what === "execute") await executor.execute(this.#contractId, adapter, this.#stage.intent);
    else await executor.rollback(this.#contractId, adapter);
  }

  /** A forward operation began with its preparation. */
  async #begin(what: "execute" | "rollback"): Promise<void> {
    if (what === "execute") return;
    const operation: Operation = "rollback";
    await this.#world.proxy.begin(operation);
    const was = this.#before.configuration.aliases.find(
      ({ name }) => name === this.#world.candidate,
    );
    this.sentLast = String(was?.["descr"]);
  }

  /** Holds the request at the proxy, and has the console's edit done before it goes on. */
  async #runMeanwhile(what: "execute" | "rollback", edit: Edit): Promise<void> {
    const phase: Phase = what === "execute" ? "mutation" : "rollback";
    await this.#arm({ phase, fault: { kind: "delay", direction: "request", ms: HOLD_MS } });
    const from = (await this.#world.proxy.log()).length;
    const held = async (): Promise<ExchangeRecord | undefined> =>
      (await this.#world.proxy.log()).slice(from).find((exchange) => exchange.phase === phase);
    let over = false;
    const running = this.#run(what).finally(() => {
      over = true;
    });
    while (!over && (await held()) === undefined) await pause(LOOK_AGAIN_MS);
    if (!over) await this.#edit(edit);
    const sent = await held();
    const came = !over && sent?.copies === 0 && sent.durationMs === null;
    this.#others.push({ what: `edit of ${edit} on the way`, came });
    await running;
  }

  async #edit(edit: Edit): Promise<void> {
    this.edited = await editAtConsole(this.#world, edit, this.#before);
  }

  async #arm({ phase, fault }: Omit<Extract<Step, { do: "arm" }>, "do">): Promise<void> {
    const arming = await this.#world.proxy.arm({ phase, fault, seed: this.#seed });
    this.#armings.set(arming, `${fault.kind} at ${phase}`);
  }

  async #kill(step: "execute" | "rollback", killAt: KillPoint): Promise<void> {
    this.close();
    await this.#begin(step);
    const { handed, session, endpoint, intent, clock } = this.#stage;
    const { directory, anchorDirectory, storeId, key } = handed;
    const { killed, why } = await runWorker({
      ...{ step, contractId: this.#contractId, intent, killAt, endpoint },
      store: { directory, anchorDirectory, storeId, key: keyText(key) },
      artifactKey: keyText(session.artifactKey),
      apiKey: this.#world.credential.reveal(),
      aheadMs: clock.aheadMs,
    });
    this.#others.push({ what: `kill at ${killAt.point} of ${killAt.write}`, came: killed });
    if (!killed) this.failures.push(`worker: ${why}, not killed`);
  }

  async #sign({ outcome, flaw }: Extract<Step, { do: "sign" }>): Promise<void> {
    const { store, executor } = this.#opened();
    const { fingerprint, locator }: Found = await observe(
      adapter,
      this.#stage.session.read,
      adapter.naturalIdentity(adapter.parseIntent(this.#stage.intent)),
    );
    const contract = store.load(this.#contractId);
    const evidence = this.#stage.operator.conclude(contract, {
      ...{ outcome, flaw: flaw ?? null, found: { fingerprint, locator }, issuedAt: store.now() },
    });
    executor.reconcile(this.#contractId, evidence);
  }

  #tamper(how: Extract<Step, { do: "tamper" }>["how"]): void {
    const contract = this.#opened().store.load(this.#contractId);
    this.close();
    this.#tamperer.tamper(how, contract);
  }

  #search(): void {
    const { aliases } = this.#before.configuration;
    const was = aliases.find(({ name }) => name === this.#world.candidate) ?? {};
    const files = filesWith(this.#stage.handed.directory, [was, ASKED_DESCRIPTION]);
    if (files > 0) this.failures.push(`store: ${files} files with a value that was read, not 0`);
  }
}
