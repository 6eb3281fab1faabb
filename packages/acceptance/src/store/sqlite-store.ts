import { dirname } from "node:path";
import { DrydockError } from "@drydock/evidence";
import type Database from "better-sqlite3";
import {
  acceptConfirmation,
  type ConfirmationEvidence,
  type EvidenceVerifier,
} from "../confirmation/index.js";
import {
  begin,
  type Cause,
  type ContractEvent,
  type ContractStep,
  type ContractTerms,
  type HexDigest,
  type Identifier,
  isOverdue,
  type Millis,
  parseContract,
  type RecoveryContract,
  type SeenContract,
  step,
} from "../contract/index.js";
import { acceptReconciliation, type ReconciliationEvidence } from "../reconciliation/index.js";
import { anchorFirst, pointOf, requireNewest } from "./anchoring.js";
import { applyStep } from "./apply.js";
import { readContractRow } from "./contract-row.js";
import { readEventRow } from "./event-row.js";
import { storeFault, withFaults } from "./fault.js";
import { type FileIdentity, requireStillThere } from "./file/own-file.js";
import type { StoreHead } from "./head.js";
import type { AuditEvent, ContractStore, FaultHooks, Reservation, RollbackAnchor } from "./port.js";
import { previousMac } from "./previous.js";
import { type Reading, readContract, readSnapshot, type Snapshot, standingOf } from "./snapshot.js";
import { verifyStore } from "./verify-store.js";
import { takeWorkplace } from "./workplace.js";

/** Everything that a store is made of; `hooks` is empty wherever a store is opened for use. */
export interface StoreParts {
  readonly database: Database.Database;
  readonly path: string;
  readonly identity: FileIdentity;
  readonly reading: Reading;
  readonly clock: () => Millis;
  readonly anchor: RollbackAnchor | null;
  readonly hooks: FaultHooks;
}

type Decide = (snapshot: Snapshot, at: Millis) => ContractStep | null;
type Seen<T> = (contract: RecoveryContract, snapshot: Snapshot, at: Millis) => T;

/**
 * Contracts in one SQLite file. It holds no rule: each call reads what matters, lets `step` decide
 * and writes what it says, within one immediate transaction.
 */
export class SqliteContractStore implements ContractStore {
  readonly #parts: StoreParts;
  #leaveWorkplace: (() => void) | null = null;

  constructor(parts: StoreParts) {
    this.#parts = parts;
    this.verify();
    this.#immediately(() => {
      const { head } = this.#snapshot();
      anchorFirst(parts.reading, head, parts.anchor);
    });
  }

  now(): Millis {
    return this.#read(({ head }) => this.#time(head));
  }

  create(terms: ContractTerms): RecoveryContract {
    return this.#write("create", (snapshot, at) => {
      const { statements } = this.#parts.reading;
      const { contractId, operationId, idempotencyKey, targetIdentityDigest: target } = terms;
      if (statements.colliding(contractId, operationId, idempotencyKey) !== undefined) {
        throw refused("CONTRACT_EXISTS", `contract ${contractId}: it, or its change, is there`);
      }
      const begun = begin(terms, { standing: this.#standing(snapshot, target), at });
      parseContract(begun.contract);
      return begun;
    });
  }

  load(contractId: Identifier): RecoveryContract {
    return this.#read(() => this.#require(contractId));
  }

  markPrepared(seen: SeenContract): RecoveryContract {
    return this.#happen("prepared", seen, () => ({ type: "prepared" }));
  }

  confirm(
    seen: SeenContract,
    evidence: ConfirmationEvidence,
    verifier: EvidenceVerifier | null,
  ): RecoveryContract {
    return this.#happen("confirm", seen, (contract, _, at) => ({
      type: "confirm",
      ...acceptConfirmation(contract, evidence, { verifier, at }),
    }));
  }

  acquireExecuting(seen: SeenContract): RecoveryContract {
    this.#beAtWork();
    return this.#happen("acquire", seen, (contract, snapshot) => ({
      type: "acquire",
      standing: this.#standing(snapshot, contract.targetIdentityDigest),
    }));
  }

  sealVerified(
    seen: SeenContract,
    { fingerprint, locator }: { readonly fingerprint: HexDigest; readonly locator: number },
  ): RecoveryContract {
    return this.#happen("seal-verified", seen, () => ({
      type: "seal-verified",
      fingerprint,
      locator,
    }));
  }

  fail(seen: SeenContract, cause: Cause): RecoveryContract {
    return this.#happen("fail", seen, () => ({ type: "fail", cause }));
  }

  enterReconciliation(seen: SeenContract, cause: Cause): RecoveryContract {
    return this.#happen("lose-track", seen, () => ({ type: "lose-track", cause }));
  }

  beginRollback(seen: SeenContract): RecoveryContract {
    this.#beAtWork();
    return this.#happen("begin-rollback", seen, (contract, snapshot) => ({
      type: "begin-rollback",
      standing: this.#standing(snapshot, contract.targetIdentityDigest),
    }));
  }

  sealRolledBack(seen: SeenContract, { locator }: { readonly locator: number }): RecoveryContract {
    return this.#happen("seal-rolled-back", seen, () => ({ type: "seal-rolled-back", locator }));
  }

  failRollback(seen: SeenContract, cause: Cause): RecoveryContract {
    return this.#happen("fail-rollback", seen, () => ({ type: "fail-rollback", cause }));
  }

  resolve(
    seen: SeenContract,
    evidence: ReconciliationEvidence,
    verifier: EvidenceVerifier | null,
  ): RecoveryContract {
    return this.#happen("resolve", seen, (contract, _, at) => ({
      type: "resolve",
      ...acceptReconciliation(contract, evidence, { verifier, at }),
    }));
  }

  expire(seen: SeenContract): RecoveryContract {
    return this.#happen("expire", seen, () => ({ type: "expire" }));
  }

  expireOverdue(): readonly RecoveryContract[] {
    return this.#each("expire", (contract, at) => isOverdue(contract, at));
  }

  recoverInterrupted(): readonly RecoveryContract[] {
    this.#beAtWork();
    return this.#each(
      "interrupted",
      ({ state }) => state === "EXECUTING" || state === "ROLLING_BACK",
    );
  }

  reservationOf(targetIdentityDigest: HexDigest): Reservation | null {
    return this.#read(
      ({ reservations }) =>
        reservations.find((held) => held.targetIdentityDigest === targetIdentityDigest) ?? null,
    );
  }

  audit(contractId: Identifier): readonly AuditEvent[] {
    return this.#read(() => {
      const { statements, mac } = this.#parts.reading;
      this.#require(contractId);
      return statements
        .eventsOf(contractId)
        .map((row) => readEventRow(row, previousMac(statements, row, mac), mac));
    });
  }

  contracts(): readonly RecoveryContract[] {
    const { statements, mac } = this.#parts.reading;
    return this.#read(() => statements.contracts().map((row) => readContractRow(row, mac)));
  }

  verify(): void {
    const { reading, database } = this.#parts;
    this.#read(() => verifyStore(reading, database));
  }

  close(): void {
    this.#parts.database.close();
    this.#leaveWorkplace?.();
    this.#leaveWorkplace = null;
  }

  #beAtWork(): void {
    const { path } = this.#parts;
    this.#leaveWorkplace ??= withFaults(() => takeWorkplace(dirname(path)));
  }

  /** `event` is built inside the transaction, so that what it reads belongs to it. */
  #happen(write: string, seen: SeenContract, event: Seen<WithoutTime>): RecoveryContract {
    return this.#write(write, (snapshot, at) => {
      const contract = this.#require(seen.contractId);
      const said = { ...event(contract, snapshot, at), seen: seen.stateVersion, at };
      return step(contract, said);
    });
  }

  /** Lets the same thing happen to each contract that it is due to, one transaction each. */
  #each(
    type: "expire" | "interrupted",
    isDue: (contract: RecoveryContract, at: Millis) => boolean,
  ): readonly RecoveryContract[] {
    const done: RecoveryContract[] = [];
    for (;;) {
      const next = this.#tryWrite(type, ({ active }, at) => {
        const due = active.find((contract) => isDue(contract, at));
        if (due === undefined) return null;
        const contract = this.#require(due.contractId);
        return step(contract, { type, seen: contract.stateVersion, at });
      });
      if (next === null) return done;
      done.push(next);
    }
  }

  #write(write: string, decide: (snapshot: Snapshot, at: Millis) => ContractStep) {
    const written = this.#tryWrite(write, decide);
    if (written === null) throw new Error("a step that decided nothing");
    return written;
  }

  #tryWrite(write: string, decide: Decide): RecoveryContract | null {
    const { hooks, reading, anchor } = this.#parts;
    hooks.beforeTransaction?.(write);
    const written = this.#immediately(() => {
      const snapshot = this.#snapshot();
      const decided = decide(snapshot, this.#time(snapshot.head));
      if (decided === null) return null;
      if (decided.refusal !== null) throw refused(decided.refusal.code, decided.refusal.why);
      const head = applyStep(reading, snapshot, decided, { write, hooks });
      hooks.beforeCommit?.(write);
      return { contract: decided.contract, head };
    });
    if (written === null) return null;
    hooks.afterCommit?.(write);
    if (anchor !== null) tellAnchor(anchor, written.head);
    return written.contract;
  }

  #read<T>(work: (snapshot: Snapshot) => T): T {
    return this.#within("BEGIN", () => work(this.#snapshot()));
  }

  #immediately<T>(work: () => T): T {
    return this.#within("BEGIN IMMEDIATE", work);
  }

  #within<T>(begin: string, work: () => T): T {
    const { database } = this.#parts;
    return withFaults(() => {
      database.exec(begin);
      try {
        const result = work();
        database.exec("COMMIT");
        return result;
      } finally {
        // Whatever threw is what the caller hears; a commit that failed may have ended it already.
        if (database.inTransaction) database.exec("ROLLBACK");
      }
    });
  }

  #snapshot(): Snapshot {
    const { reading, anchor, path, identity } = this.#parts;
    requireStillThere(path, identity);
    const snapshot = readSnapshot(reading);
    requireNewest(reading, snapshot.head, anchor);
    return snapshot;
  }

  #require(contractId: Identifier): RecoveryContract {
    const contract = readContract(this.#parts.reading, contractId);
    if (contract === null) throw refused("CONTRACT_UNKNOWN", "no such contract");
    return contract;
  }

  #standing(snapshot: Snapshot, target: HexDigest) {
    return standingOf(this.#parts.reading, snapshot, target);
  }

  /** A clock that was set back doesn't make anything young again. */
  #time({ latest }: StoreHead): Millis {
    const time = this.#parts.clock();
    if (!Number.isSafeInteger(time) || time < 0) {
      throw storeFault("STORE_CLOCK", "its clock doesn't count whole milliseconds");
    }
    return Math.max(time, latest);
  }
}

type WithoutTime = ContractEvent extends infer E
  ? E extends ContractEvent
    ? Omit<E, "seen" | "at">
    : never
  : never;

const tellAnchor = (anchor: RollbackAnchor, head: StoreHead): void => {
  try {
    anchor.advance(pointOf(head));
  } catch (error) {
    throw storeFault("STORE_COMMITTED_UNANCHORED", "the anchor couldn't be told", error);
  }
};

const refused = (code: string, why: string): DrydockError =>
  new DrydockError(code, why, { fix: "Load the contract and look at its state and history." });
