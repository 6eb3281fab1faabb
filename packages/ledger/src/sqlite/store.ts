import { DrydockError } from "@drydock/evidence";
import type Database from "better-sqlite3";
import type { Actor, Ledger, LedgerAudit, Proposal, Proposed, RunFilter } from "../port.js";
import { parseResources, type Resources } from "../resources/vector.js";
import type { LedgerEvent } from "../rules/event.js";
import type { HaltReading } from "../rules/halt-gate.js";
import { againstMemory } from "../rules/halt-memory.js";
import type { Lease, OwnerWitness, RunOutcome, RunRow } from "../rules/row.js";
import { step } from "../rules/step.js";
import { auditLedger } from "./audit.js";
import { ensureLedgerFile } from "./create.js";
import { ledgerFault, withFaults } from "./fault.js";
import { sqlite } from "./library.js";
import { probeSchema } from "./probe.js";
import { COLUMNS, decodeRow, encodeRow, type StoredRow } from "./row-codec.js";

export interface SqliteLedgerOptions {
  readonly path: string;
  /** What all live runs of this ledger may occupy together. */
  readonly ceiling: Resources;
  /** One look at the halt state; called inside the RESERVE and INTENT transactions. */
  readonly readHalt: () => HaltReading;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
}

/**
 * How long to wait for another writer. Transactions here last a few milliseconds, so a lock that
 * outlives this is a stuck process, and waiting longer would only hide it.
 */
const BUSY_TIMEOUT_MS = 5_000;

const DEFAULT_LIST_LIMIT = 1_000;

/**
 * The ledger in one SQLite file. It holds no rule: each call loads the rows that matter, lets
 * `step` decide, and writes what `step` says, all within one immediate transaction.
 *
 * @throws DrydockError with a `LedgerFault` code; there is no fallback.
 */
export const openSqliteLedger = (options: SqliteLedgerOptions): Ledger =>
  new SqliteLedger({ ...options, ceiling: parseResources(options.ceiling) });

class SqliteLedger implements Ledger {
  readonly #options: SqliteLedgerOptions;
  readonly #database: Database.Database;
  readonly #statements: ReturnType<typeof prepare>;

  constructor(options: SqliteLedgerOptions) {
    this.#options = options;
    this.#database = withFaults(options.path, () => connect(options.path));
    this.#statements = withFaults(options.path, () => prepare(this.#database));
  }

  async propose(proposal: Proposal): Promise<Proposed> {
    const { run, key, request, title, evidence, owner, holder, leaseMillis } = proposal;
    const { row, repeated } = this.#commit((at) => ({
      type: "propose",
      run,
      key,
      request,
      title,
      evidence,
      owner,
      holder,
      until: at + leaseMillis,
      at,
    }));
    return { kind: repeated ? "existing" : "new", row };
  }

  async reserve(actor: Actor, resources: Resources): Promise<RunRow> {
    const wanted = parseResources(resources);
    const { ceiling } = this.#options;
    return this.#write((at) => ({
      type: "reserve",
      ...actorOf(actor),
      resources: wanted,
      ceiling,
      halt: this.#readHalt(),
      at,
    }));
  }

  async intent(actor: Actor, intent: string): Promise<RunRow> {
    return this.#write((at) => ({
      type: "intent",
      ...actorOf(actor),
      intent,
      halt: this.#readHalt(),
      at,
    }));
  }

  async settle(actor: Actor, used: Resources): Promise<RunRow> {
    const measured = parseResources(used);
    return this.#write((at) => ({ type: "settle", ...actorOf(actor), used: measured, at }));
  }

  async hold(actor: Actor, reason: string): Promise<RunRow> {
    return this.#write((at) => ({ type: "hold", ...actorOf(actor), reason, at }));
  }

  async release(actor: Actor): Promise<RunRow> {
    return this.#write((at) => ({ type: "release", ...actorOf(actor), at }));
  }

  async conclude(actor: Actor, outcome: RunOutcome): Promise<RunRow> {
    return this.#write((at) => ({ type: "conclude", ...actorOf(actor), outcome, at }));
  }

  async renew(actor: Actor, leaseMillis: number): Promise<Lease> {
    const row = this.#write((at) => ({
      type: "renew",
      ...actorOf(actor),
      until: at + leaseMillis,
      at,
    }));
    return row.lease;
  }

  async lease(
    run: string,
    holder: string,
    owner: OwnerWitness,
    leaseMillis: number,
  ): Promise<Lease> {
    const row = this.#write((at) => ({
      type: "lease",
      run,
      holder,
      owner,
      until: at + leaseMillis,
      at,
    }));
    return row.lease;
  }

  async markIncomplete(
    run: string,
    reason: string,
    body: { gone: boolean },
  ): Promise<RunRow | null> {
    if ((await this.run(run)) === null) return null;
    return this.#write((at) => ({ type: "abandon", run, reason, bodyGone: body.gone, at }));
  }

  async run(run: string): Promise<RunRow | null> {
    return this.#guarded(() => {
      const stored = this.#statements.byRun.get(run);
      return stored === undefined ? null : this.#decode(stored);
    });
  }

  async runs(filter: RunFilter = {}): Promise<readonly RunRow[]> {
    const limit = filter.limit ?? DEFAULT_LIST_LIMIT;
    const select = filter.open === true ? this.#statements.openNewest : this.#statements.newest;
    return this.#guarded(() => select.all(limit).map((stored) => this.#decode(stored)));
  }

  async haltBarrier(generation: number): Promise<readonly RunRow[]> {
    return this.#guarded(() =>
      this.#database
        .transaction(() => {
          this.#statements.rememberHalt.run(generation);
          return this.#statements.open.all().map((stored) => this.#decode(stored));
        })
        .immediate(),
    );
  }

  async audit(): Promise<LedgerAudit> {
    return this.#guarded(() => auditLedger(this.#database, (stored) => this.#decode(stored)));
  }

  close(): void {
    this.#database.close();
  }

  #write(event: (at: number) => LedgerEvent): RunRow {
    return this.#commit(event).row;
  }

  /** `event` is built inside the transaction, so that what it reads belongs to it. */
  #commit(event: (at: number) => LedgerEvent): {
    readonly row: RunRow;
    readonly repeated: boolean;
  } {
    return this.#guarded(() =>
      this.#database
        .transaction(() => {
          const said = event(this.#options.clock());
          const { effects, decision } = step(this.#rowsFor(said), said);
          if (decision.kind === "refused") {
            throw new DrydockError(decision.code, `ledger: ${decision.why}`, {
              fix: REFUSAL_FIX[decision.code] ?? "Look at the run with: drydock trials show RUN",
            });
          }
          for (const effect of effects) {
            this.#statements.put.run(encodeRow(effect.row));
            this.#statements.append.run(JSON.stringify(said));
          }
          return { row: decision.row, repeated: decision.kind === "repeated" };
        })
        .immediate(),
    );
  }

  #rowsFor(event: LedgerEvent): ReadonlyMap<string, RunRow> {
    const stored = [
      ...this.#statements.open.all(),
      this.#statements.byRun.get(event.run),
      event.type === "propose" ? this.#statements.byKey.get(event.key) : undefined,
    ];
    return new Map(
      stored.flatMap((row) => (row === undefined ? [] : [[row.run, this.#decode(row)]])),
    );
  }

  #readHalt(): HaltReading {
    const seen = this.#statements.seenHalt.get() ?? 0;
    const reading = againstMemory(this.#options.readHalt(), seen);
    if (reading.generation > seen) this.#statements.rememberHalt.run(reading.generation);
    return reading;
  }

  #decode(stored: StoredRow): RunRow {
    try {
      return decodeRow(stored);
    } catch (error) {
      throw ledgerFault("LEDGER_CORRUPT", this.#options.path, `run ${stored.run}`, error);
    }
  }

  #guarded<T>(work: () => T): T {
    return withFaults(this.#options.path, work);
  }
}

const connect = (path: string): Database.Database => {
  ensureLedgerFile(path);
  const database = new (sqlite())(path, { fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
  try {
    // WAL with FULL syncs at each commit: an authority that was given out survives power loss.
    database.pragma("synchronous = FULL");
    database.pragma("trusted_schema = OFF");
    database.pragma("cell_size_check = ON");
    probeSchema(database, path);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
};

const OPEN = `outcome IS NULL OR state IN ('PROPOSED','RESERVED','DISPATCHED','HELD')`;

const prepare = (database: Database.Database) => ({
  byRun: database.prepare<[string], StoredRow>("SELECT * FROM run WHERE run = ?"),
  byKey: database.prepare<[string], StoredRow>("SELECT * FROM run WHERE key = ?"),
  open: database.prepare<[], StoredRow>(`SELECT * FROM run WHERE ${OPEN}`),
  openNewest: database.prepare<[number], StoredRow>(
    `SELECT * FROM run WHERE ${OPEN} ORDER BY created_at DESC, run LIMIT ?`,
  ),
  newest: database.prepare<[number], StoredRow>(
    "SELECT * FROM run ORDER BY created_at DESC, run LIMIT ?",
  ),
  put: database.prepare<[StoredRow]>(
    `INSERT INTO run (${COLUMNS.join(", ")}) VALUES (${COLUMNS.map((name) => `@${name}`).join(", ")})
       ON CONFLICT (run) DO UPDATE SET ${COLUMNS.map((name) => `${name} = excluded.${name}`).join(", ")}`,
  ),
  append: database.prepare<[string]>("INSERT INTO movement (event) VALUES (?)"),
  seenHalt: database
    .prepare<[], number>("SELECT generation FROM halt_memory WHERE only = 1")
    .pluck() as Database.Statement<[], number>,
  rememberHalt: database.prepare<[number]>(
    "UPDATE halt_memory SET generation = max(generation, ?) WHERE only = 1",
  ),
});

const actorOf = ({ run, generation }: Actor): Actor => ({ run, generation });

const REFUSAL_FIX: Readonly<Record<string, string>> = {
  LEDGER_HALTED: "See why with: drydock halt status",
  LEDGER_OVER_CEILING:
    "Wait for a live run to end (drydock trials list), ask for less, or free disk space where it is disk that lacks.",
  LEDGER_KEY_REUSED: "Use another idempotency key for another request.",
};
