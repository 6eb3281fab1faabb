import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import {
  type ContractStore,
  createExecutor,
  type Executor,
  type ExecutorOptions,
  type FaultHooks,
  openAnchorFile,
  pfsenseAliasDescription,
  type RecoveryContract,
} from "@drydock/acceptance";
import { openContractStoreWithHooks } from "@drydock/acceptance/rehearsal";
import { digestOfValue, isDrydockError } from "@drydock/evidence";
import { createReadClient, createWriteClient } from "../transport/index.js";
import type { Scenario } from "./catalogue.js";
import { Crash, type CrashingHooks, crashingHooks } from "./crash.js";
import { type Operator, operatorFrom } from "./operator.js";
import { departures, type Observed } from "./oracle.js";
import { exchangeRow, type ScenarioRecord, transitionRow } from "./record.js";
import type { ScenarioReport } from "./report.js";
import { unexpectedOf } from "./unexpected.js";
import type { ApplianceView, World } from "./world.js";

const STORE_ID = "rehearsal";
const KEY_BYTES = 32;
/** Whatever the candidate says, it says something else; neither is an operator's text. */
const NEW_DESCRIPTION = "changed by a rehearsal";
const EDITED_DESCRIPTION = "edited by somebody else";

/**
 * Plays one scenario on the appliance as the snapshot has it, with a store and keys that are made
 * for it and destroyed after it, and compares what came of it with what has to. It doesn't throw:
 * what goes wrong in an unforeseen way is a report that didn't pass.
 */
export const runScenario = async (
  world: World,
  scenario: Scenario,
  snapshot: ApplianceView,
  seed: number,
): Promise<ScenarioReport> => {
  const began = world.clock();
  const { name, variant, oracle: expected } = scenario;
  const directory = mkdtempSync(join(world.directory, "scenario-"));
  chmodSync(directory, 0o700);
  let found: Pick<ScenarioReport, "observed" | "faultTook" | "records" | "unexpected">;
  try {
    const play = new Play(world, scenario, snapshot, directory);
    const observed = await play.run(seed);
    const faultTook = await play.faultTook();
    found = { observed, faultTook, records: await play.records(), unexpected: null };
  } catch (error) {
    found = { observed: null, faultTook: null, records: [], unexpected: unexpectedOf(error) };
  }
  try {
    await world.proxy.disarm();
    rmSync(directory, { recursive: true });
  } catch (error) {
    found = { ...found, unexpected: found.unexpected ?? unexpectedOf(error) };
  }
  const failures = [
    ...(found.observed === null ? [] : departures(found.observed, expected)),
    ...(found.faultTook === false ? ["fault: armed, and without an effect"] : []),
    ...(found.unexpected === null ? [] : [`unexpected: ${found.unexpected.code}`]),
  ];
  return {
    ...{ name, variant, expected, ...found, failures },
    passed: failures.length === 0 && found.observed !== null,
    durationMs: world.clock() - began,
  };
};

class Play {
  readonly #world: World;
  readonly #scenario: Scenario;
  readonly #snapshot: ApplianceView;
  readonly #directory: string;
  readonly #key: Buffer;
  readonly #artifactKey: ExecutorOptions["artifactKey"];
  readonly #operator: Operator;
  readonly #intent: unknown;
  #recordsBefore = 0;
  #armed: string | null = null;
  readonly #records: ScenarioRecord[] = [];
  readonly #crash: CrashingHooks | null;

  constructor(world: World, scenario: Scenario, snapshot: ApplianceView, directory: string) {
    this.#world = world;
    this.#scenario = scenario;
    this.#snapshot = snapshot;
    this.#directory = directory;
    const { injection } = scenario;
    this.#crash = injection.kind === "crash" ? crashingHooks(injection) : null;
    this.#key = world.entropy(KEY_BYTES);
    this.#artifactKey = world.entropy(KEY_BYTES);
    this.#operator = operatorFrom(world.entropy(KEY_BYTES));
    this.#intent = {
      operation: pfsenseAliasDescription.semanticUnit,
      raw_target_hint: { alias_name: world.candidate },
      new_description: NEW_DESCRIPTION,
    };
  }

  async run(seed: number): Promise<Observed> {
    const { appliance, proxy } = this.#world;
    await appliance.restore(this.#snapshot);
    const restored = await appliance.snapshot();
    if (restored.digest !== this.#snapshot.digest) throw new Error("not restored");
    this.#records.push({
      kind: "configuration",
      when: "start",
      digest: digestOfValue(restored.configuration),
    });
    this.#recordsBefore = (await proxy.log()).length;
    await this.#world.handOver({
      scenario: this.#scenario.name,
      directory: this.#place("store"),
      anchorDirectory: this.#place("anchor"),
      storeId: STORE_ID,
      key: this.#key,
    });
    const anchor = openAnchorFile({ directory: this.#place("anchor"), storeId: STORE_ID });
    try {
      const opened = this.#open(anchor, this.#crash?.hooks ?? {});
      let contractId: string;
      try {
        contractId = await this.#cycle(opened, seed);
      } finally {
        opened.store.close();
      }
      return await this.#look(anchor, contractId);
    } finally {
      anchor.close();
    }
  }

  /** Whether what was armed came about; null when nothing was. */
  async faultTook(): Promise<boolean | null> {
    if (this.#crash !== null) return this.#crash.happened();
    if (this.#armed === null) return null;
    const records = await this.#world.proxy.log();
    return records.some(({ fault }) => fault?.arming === this.#armed && fault.took.length > 0);
  }

  async records(): Promise<readonly ScenarioRecord[]> {
    const exchanges = (await this.#world.proxy.log()).slice(this.#recordsBefore);
    return [...this.#records, ...exchanges.map(exchangeRow)];
  }

  #place(name: string): string {
    const path = join(this.#directory, name);
    mkdirSync(path, { mode: 0o700, recursive: true });
    return path;
  }

  #open(
    anchor: ReturnType<typeof openAnchorFile>,
    hooks: FaultHooks,
  ): {
    readonly store: ContractStore;
    readonly executor: Executor;
  } {
    const { endpoint, credential, clock, entropy } = this.#world;
    const client = { endpoint, credential, clock: () => performance.now() };
    const store = openContractStoreWithHooks({
      directory: this.#place("store"),
      storeId: STORE_ID,
      key: this.#key,
      clock,
      anchor,
      hooks,
    });
    const { capability, endpointSymbol, httpMethod } = pfsenseAliasDescription;
    const executor = createExecutor({
      store,
      readClient: createReadClient(client),
      writeClient: createWriteClient(client),
      policy: { grants: [{ capability, endpointSymbol, httpMethod }] },
      entropy,
      artifactKey: this.#artifactKey,
      verifyConfirmation: this.#operator.verifier,
      verifyReconciliation: null,
    });
    return { store, executor };
  }

  /** prepare → confirm → execute (→ rollback), with the one injection at its place. */
  async #cycle({ executor }: { readonly executor: Executor }, seed: number): Promise<string> {
    const { proxy } = this.#world;
    const { injection, until } = this.#scenario;
    await proxy.begin("forward");
    const prepared = await executor.prepare(pfsenseAliasDescription, this.#intent);
    const { contractId } = prepared;
    const copy = join(this.#directory, "older");
    if (injection.kind === "store") copyFileSync(this.#storeFile(), copy);
    executor.confirm(contractId, this.#operator.confirm(prepared, this.#world.clock()));
    if (injection.kind === "store") return contractId;
    if (injection.kind === "network") {
      const { phase, fault } = injection;
      this.#armed = await proxy.arm({ phase, fault, seed });
    }
    if (injection.kind === "edit" && injection.before === "execute") await this.#edit();
    try {
      const { kind } = await executor.execute(contractId, pfsenseAliasDescription, this.#intent);
      if (kind !== "verified" || until === "execute") return contractId;
      if (injection.kind === "edit") await this.#edit();
      await proxy.begin("rollback");
      await executor.rollback(contractId, pfsenseAliasDescription);
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
    }
    return contractId;
  }

  #storeFile(): string {
    return join(this.#directory, "store", "contracts.sqlite");
  }

  /** What somebody finds who starts again over the same store, and who looks at the appliance. */
  async #look(anchor: ReturnType<typeof openAnchorFile>, contractId: string): Promise<Observed> {
    const { injection } = this.#scenario;
    const seen = {
      forwardSends: await this.#sends("mutation"),
      rollbackSends: await this.#sends("rollback"),
      appliance: await this.#applianceIs(),
    };
    if (injection.kind === "store") this.#tamper(injection.how);
    const { store } = reopened(() => this.#open(anchor, {})) ?? { store: null };
    if (store === null) return { ...seen, state: "STORE_REFUSED", reservation: "unknown" };
    try {
      const contract: RecoveryContract = store.load(contractId);
      this.#records.push(...store.audit(contractId).map(transitionRow));
      const held = store.reservationOf(contract.targetIdentityDigest) !== null;
      return { ...seen, state: contract.state, reservation: held ? "held" : "free" };
    } finally {
      store.close();
    }
  }

  #tamper(how: "flip" | "replay"): void {
    const file = this.#storeFile();
    if (how === "replay") {
      copyFileSync(join(this.#directory, "older"), file);
      return;
    }
    const bytes = readFileSync(file);
    const at = bytes.indexOf("PREPARED");
    bytes[at] = "Q".charCodeAt(0);
    writeFileSync(file, bytes);
  }

  async #sends(phase: "mutation" | "rollback"): Promise<number> {
    const records = (await this.#world.proxy.log()).slice(this.#recordsBefore);
    return records.filter((record) => record.phase === phase).length;
  }

  async #edit(): Promise<void> {
    const { appliance, candidate } = this.#world;
    const { aliases } = (await appliance.snapshot()).configuration;
    const id = aliases.findIndex(({ name }) => name === candidate);
    const data = { id, descr: EDITED_DESCRIPTION };
    await appliance.atConsole("PATCH", "/api/v2/firewall/alias", data);
  }

  /** By the whole configuration, whose history of revisions is another thing. */
  async #applianceIs(): Promise<Observed["appliance"]> {
    const { configuration } = await this.#world.appliance.snapshot();
    const found = digestOfValue(configuration);
    this.#records.push({ kind: "configuration", when: "end", digest: found });
    const before = this.#snapshot.configuration;
    const as = (descr: string) =>
      digestOfValue({
        ...before,
        aliases: before.aliases.map((alias) =>
          alias["name"] === this.#world.candidate ? { ...alias, descr } : alias,
        ),
      });
    if (found === digestOfValue(before)) return "before";
    if (found === as(NEW_DESCRIPTION)) return "after";
    return found === as(EDITED_DESCRIPTION) ? "edited" : "other";
  }
}

/** Null when the store isn't to be trusted any more, which is what some scenarios are about. */
const reopened = <T>(open: () => T): T | null => {
  try {
    return open();
  } catch (error) {
    if (isDrydockError(error) && /^STORE_(INTEGRITY|ROLLED_BACK)$/.test(error.code)) return null;
    throw error;
  }
};
