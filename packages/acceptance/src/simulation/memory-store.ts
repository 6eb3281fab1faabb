import { DrydockError } from "@drydock/evidence";
import type { AcceptanceCode } from "../codes.js";
import { acceptConfirmation } from "../confirmation/index.js";
import {
  begin,
  type ContractEffect,
  type ContractEvent,
  type ContractStep,
  type HexDigest,
  type Identifier,
  isOverdue,
  type Millis,
  parseContract,
  type RecoveryContract,
  type SeenContract,
  step,
} from "../contract/index.js";
import type { RateStanding } from "../rate/index.js";
import { acceptReconciliation } from "../reconciliation/index.js";
import type { ContractStore } from "../store/index.js";

/** What a simulation needs of a store: the one for use is compared with the one below. */
export type SimulatedStore = Omit<ContractStore, "audit" | "verify" | "close">;

type WithoutTime = ContractEvent extends infer E
  ? E extends ContractEvent
    ? Omit<E, "seen" | "at">
    : never
  : never;

/** The same rules over maps, without files: every call is whole or wasn't. */
export const memoryStore = (clock: () => Millis): SimulatedStore => {
  const contracts = new Map<Identifier, RecoveryContract>();
  const locks = new Map<HexDigest, Identifier>();
  const cooledAt = new Map<HexDigest, Millis>();
  const nonces = new Set<string>();
  let latest = 0;

  const now = (): Millis => Math.max(latest, clock());
  const sorted = () =>
    [...contracts.values()].sort((a, b) => (a.contractId < b.contractId ? -1 : 1));
  const load = (contractId: Identifier): RecoveryContract => {
    const contract = contracts.get(contractId);
    if (contract === undefined) throw refused("CONTRACT_UNKNOWN", contractId);
    return contract;
  };
  const standing = (target: HexDigest): RateStanding => {
    const count = (keep: (contract: RecoveryContract) => boolean) => sorted().filter(keep).length;
    return {
      target,
      inFlight: count(({ state }) => state === "EXECUTING" || state === "ROLLING_BACK"),
      outstanding: count(
        ({ state, targetIdentityDigest }) =>
          targetIdentityDigest === target && (state === "PREPARING" || state === "PREPARED"),
      ),
      unresolved: count(({ state }) => state === "RECONCILIATION"),
      cooledAt: cooledAt.get(target) ?? null,
      holder: locks.get(target) ?? null,
    };
  };

  const apply = (effect: ContractEffect): void => {
    switch (effect.type) {
      case "write":
        contracts.set(effect.contract.contractId, parseContract(effect.contract));
        return;
      case "reserve":
        if (locks.has(effect.target)) throw new Error("a lock was taken from its holder");
        locks.set(effect.target, effect.contractId);
        return;
      case "release":
        if (locks.get(effect.target) !== effect.contractId) throw new Error("a lock was lost");
        locks.delete(effect.target);
        return;
      case "cool-down":
        cooledAt.set(effect.target, effect.until);
        return;
      case "spend-nonce":
        nonces.add(`${effect.authorityId} ${effect.nonce}`);
        return;
      case "audit":
        latest = effect.event.at;
        return;
    }
  };
  const commit = ({ contract, effects, refusal }: ContractStep): RecoveryContract => {
    if (refusal !== null) throw refused(refusal.code, contract.contractId);
    for (const effect of effects) {
      if (effect.type === "spend-nonce" && nonces.has(`${effect.authorityId} ${effect.nonce}`)) {
        throw refused("EVIDENCE_REPLAYED", contract.contractId);
      }
    }
    effects.forEach(apply);
    return contract;
  };
  const happen = (
    { contractId, stateVersion: seen }: SeenContract,
    event: (contract: RecoveryContract, at: Millis) => WithoutTime,
  ): RecoveryContract => {
    const contract = load(contractId);
    const at = now();
    return commit(step(contract, { ...event(contract, at), seen, at }));
  };
  const each = (type: "expire" | "interrupted", isDue: (contract: RecoveryContract) => boolean) =>
    sorted()
      .filter(isDue)
      .map((contract) => happen(contract, () => ({ type })));

  return {
    now,
    load,
    create: (terms) => {
      const { contractId, operationId, idempotencyKey, targetIdentityDigest } = terms;
      const collides = sorted().some(
        (other) =>
          other.contractId === contractId ||
          other.operationId === operationId ||
          other.idempotencyKey === idempotencyKey,
      );
      if (collides) throw refused("CONTRACT_EXISTS", contractId);
      return commit(begin(terms, { standing: standing(targetIdentityDigest), at: now() }));
    },
    markPrepared: (seen) => happen(seen, () => ({ type: "prepared" })),
    confirm: (seen, evidence, verifier) =>
      happen(seen, (contract, at) => ({
        type: "confirm",
        ...acceptConfirmation(contract, evidence, { verifier, at }),
      })),
    acquireExecuting: (seen) =>
      happen(seen, ({ targetIdentityDigest: target }) => ({
        type: "acquire",
        standing: standing(target),
      })),
    sealVerified: (seen, observed) => happen(seen, () => ({ type: "seal-verified", ...observed })),
    fail: (seen, cause) => happen(seen, () => ({ type: "fail", cause })),
    enterReconciliation: (seen, cause) => happen(seen, () => ({ type: "lose-track", cause })),
    beginRollback: (seen) =>
      happen(seen, ({ targetIdentityDigest: target }) => ({
        type: "begin-rollback",
        standing: standing(target),
      })),
    sealRolledBack: (seen, observed) =>
      happen(seen, () => ({ type: "seal-rolled-back", ...observed })),
    failRollback: (seen, cause) => happen(seen, () => ({ type: "fail-rollback", cause })),
    resolve: (seen, evidence, verifier) =>
      happen(seen, (contract, at) => ({
        type: "resolve",
        ...acceptReconciliation(contract, evidence, { verifier, at }),
      })),
    expire: (seen) => happen(seen, () => ({ type: "expire" })),
    expireOverdue: () => each("expire", (contract) => isOverdue(contract, now())),
    recoverInterrupted: () =>
      each("interrupted", ({ state }) => state === "EXECUTING" || state === "ROLLING_BACK"),
    reservationOf: (targetIdentityDigest) => {
      const contractId = locks.get(targetIdentityDigest);
      return contractId === undefined ? null : { targetIdentityDigest, contractId };
    },
    contracts: sorted,
  };
};

const refused = (code: AcceptanceCode, contractId: Identifier): DrydockError =>
  new DrydockError(code, `contract ${contractId}`);
