import { pfsenseAliasDescription as adapter } from "@drydock/acceptance";
import type { Fault, Phase } from "@drydock/faults";
import type { Edit, KillPoint, Scenario, Step } from "../model.js";
import type { Observed } from "../oracle.js";
import { type HistoryRow, type TransitionRow, transitionRow } from "../record.js";
import { openSession, type Session } from "../session.js";
import { unexpectedOf } from "../unexpected.js";
import type { ApplianceView, World } from "../world.js";
import { editAtConsole } from "./edit.js";
import { editMeanwhile } from "./edit-meanwhile.js";
import type { Arranged } from "./in-vain.js";
import { killDuring } from "./kill.js";
import { openedOrRefused } from "./look.js";
import { lookAndSign } from "./look-and-sign.js";
import { filesWith } from "./search.js";
import { ASKED_DESCRIPTION, HOLD_MS, type Stage } from "./stage.js";
import { type Tamperer, tampererOf } from "./tamper.js";

type Run = Extract<Step, { do: "execute" | "rollback" }>;

/** Takes the steps of one scenario on its stage. */
export class Play {
  readonly #world: World;
  readonly #before: ApplianceView;
  readonly #stage: Stage;
  readonly #tamperer: Tamperer;
  readonly #seed: number;
  #session: Session | null = null;
  #contractId = "";
  /** Faults, kills and edits on the way. */
  readonly arranged: Arranged[] = [];
  /** Of the appliance's own history, before what was sent. */
  readonly captured: HistoryRow[] = [];
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
          ? await this.#run(step)
          : await this.#runMeanwhile(step, step.meanwhile);
      case "edit":
        return await this.#edit(step.edit);
      case "damage-history":
        return await this.#world.appliance.damageHistory();
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
        return await lookAndSign(this.#opened(), this.#stage, this.#contractId, step);
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

  async #run({ do: what, because, said }: Run): Promise<void> {
    const { executor } = this.#opened();
    await this.#begin(what);
    const { cause, historyHead } =
      what === "execute"
        ? await executor.execute(this.#contractId, adapter, this.#stage.intent)
        : await executor.rollback(this.#contractId, adapter);
    if (historyHead !== null)
      this.captured.push({ kind: "history", before: what, digest: historyHead });
    const got = cause?.failureClass ?? "nothing";
    if (because !== undefined && got !== because)
      this.failures.push(`${what}: because of ${got}, not ${because}`);
    const word = cause?.exceptionClass ?? "nothing";
    if (said !== undefined && word !== said)
      this.failures.push(`${what}: said ${word}, not ${said}`);
  }

  /** A forward operation began with its preparation. */
  async #begin(what: "execute" | "rollback"): Promise<void> {
    if (what === "execute") return;
    await this.#world.proxy.begin("rollback");
    const was = this.#before.configuration.aliases.find(
      ({ name }) => name === this.#world.candidate,
    );
    this.sentLast = String(was?.["descr"]);
  }

  /** Holds the request at the proxy, and has the console's edit done before it goes on. */
  async #runMeanwhile(step: Run, edit: Edit): Promise<void> {
    const phase: Phase = step.do === "execute" ? "mutation" : "rollback";
    await this.#arm({ phase, fault: { kind: "delay", direction: "request", ms: HOLD_MS } });
    const came = await editMeanwhile(this.#world, phase, {
      run: () => this.#run(step),
      edit: () => this.#edit(edit),
    });
    this.arranged.push({ what: `edit of ${edit} on the way`, came });
  }

  async #edit(edit: Edit): Promise<void> {
    this.edited = await editAtConsole(this.#world, edit, this.#before);
  }

  async #arm({ phase, fault }: Omit<Extract<Step, { do: "arm" }>, "do">): Promise<void> {
    if (endsInSilence(fault)) this.#stage.hurry();
    const arming = await this.#world.proxy.arm({ phase, fault, seed: this.#seed });
    this.arranged.push({ what: `${fault.kind} at ${phase}`, arming });
  }

  async #kill(step: "execute" | "rollback", killAt: KillPoint): Promise<void> {
    this.close();
    await this.#begin(step);
    const { killed, why } = await killDuring(this.#world, this.#stage, {
      ...{ step, contractId: this.#contractId, killAt },
    });
    this.arranged.push({ what: `kill at ${killAt.point} of ${killAt.write}`, came: killed });
    if (!killed) this.failures.push(`worker: ${why}, not killed`);
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

/** Whoever asked is left to his patience. */
const endsInSilence = (fault: Fault): boolean =>
  fault.kind === "timeout" || (fault.kind === "drop-response" && fault.ending === "silence");
