import type { AcceptanceCode } from "../codes.js";
import {
  coolsDown,
  RATE_LIMITS,
  type RateStanding,
  refusePreparation,
  refuseStart,
} from "../rate/index.js";
import { conclusionOf } from "./conclusion.js";
import { isSameTarget, looksChanged } from "./continuity.js";
import type { ContractEffect, ContractEvent, TransitionRecord } from "./event.js";
import { isOverdue } from "./expiry.js";
import { isStale } from "./freshness.js";
import type { ContractState, ContractTerms, Millis, RecoveryContract } from "./model.js";
import { holdsTarget } from "./reservation.js";
import { type Authority, mayTransition } from "./transitions.js";

export interface Refusal {
  readonly code: AcceptanceCode;
  /** Ids, states and versions; never a value. */
  readonly why: string;
}

/** What became of a contract; refused, it is as it was and there are no effects. */
export interface ContractStep {
  readonly contract: RecoveryContract;
  readonly effects: readonly ContractEffect[];
  readonly refusal: Refusal | null;
}

/** A new contract: PREPARING, version 1. Refused, nothing of it is to be kept. */
export const begin = (
  terms: ContractTerms,
  { standing, at }: { readonly standing: RateStanding; readonly at: Millis },
): ContractStep => {
  const contract: RecoveryContract = {
    ...terms,
    state: "PREPARING",
    stateVersion: 1,
    confirmation: null,
    verifiedTargetFingerprint: null,
    enteredReconciliationFrom: null,
  };
  if (isOverdue(contract, at)) return refuse(contract, "CONTRACT_EXPIRED", "its time is over");
  const rate = refusePreparation(standing, at);
  if (rate !== null) return refuse(contract, rate, `target ${contract.targetIdentityDigest}`);
  return {
    contract,
    effects: [
      { type: "write", contract },
      { type: "audit", event: recordOf(contract, null, { type: "created", at }) },
    ],
    refusal: null,
  };
};

/** One thing that happens to a contract. Pure: time and what else goes on are in the event. */
export const step = (contract: RecoveryContract, event: ContractEvent): ContractStep => {
  if (isStale(contract, event.seen)) {
    return refuse(
      contract,
      "CONTRACT_STALE",
      `it is at version ${contract.stateVersion}, not ${event.seen}`,
    );
  }
  const move = moveOf(event);
  const stays = contract.state === "PREPARED" && move.to === contract.state;
  const legal = stays
    ? event.type === "confirm"
    : event.type !== "confirm" && mayTransition(contract.state, move.to, move.authority);
  if (!legal) {
    return refuse(contract, "CONTRACT_TRANSITION", `${event.type} in ${contract.state}`);
  }
  if (event.type !== "expire" && isOverdue(contract, event.at)) {
    return refuse(contract, "CONTRACT_EXPIRED", `its time was over at ${contract.expiresAt}`);
  }
  const code = refusalOf(contract, event);
  if (code !== null) return refuse(contract, code, `${event.type} in ${contract.state}`);
  return accept(contract, event, move.to);
};

interface Move {
  readonly to: ContractState;
  readonly authority: Authority;
}

const moveOf = (event: ContractEvent): Move => {
  switch (event.type) {
    case "prepared":
    case "confirm":
      return { to: "PREPARED", authority: "automatic" };
    case "acquire":
      return { to: "EXECUTING", authority: "automatic" };
    case "expire":
      return { to: "EXPIRED", authority: "automatic" };
    case "fail":
      return { to: "FAILED", authority: "automatic" };
    case "seal-verified":
      return { to: "VERIFIED", authority: "dedicated" };
    case "lose-track":
    case "interrupted":
      return { to: "RECONCILIATION", authority: "automatic" };
    case "begin-rollback":
      return { to: "ROLLING_BACK", authority: "automatic" };
    case "seal-rolled-back":
      return { to: "ROLLED_BACK", authority: "dedicated" };
    case "fail-rollback":
      return { to: "ROLLBACK_FAILED", authority: "automatic" };
    case "resolve":
      return { to: conclusionOf(event.outcome).leadsTo, authority: "manual" };
  }
};

/** What of the event itself doesn't fit a contract that is in the right state. */
const refusalOf = (contract: RecoveryContract, event: ContractEvent): AcceptanceCode | null => {
  switch (event.type) {
    case "confirm":
      return contract.confirmation === null ? null : "CONTRACT_CONFIRMED";
    case "acquire":
      return contract.confirmation === null ? "CONTRACT_UNCONFIRMED" : refuseStart(event.standing);
    case "begin-rollback":
      return refuseStart(event.standing);
    case "expire":
      return isOverdue(contract, event.at) ? null : "CONTRACT_UNEXPIRED";
    case "seal-verified":
      return refuseObserved(contract, event.locator, event.fingerprint);
    case "seal-rolled-back":
      return refuseObserved(contract, event.locator, null);
    case "resolve":
      return refuseConclusion(contract, event);
    case "prepared":
    case "fail":
    case "lose-track":
    case "interrupted":
    case "fail-rollback":
      return null;
  }
};

const refuseObserved = (
  contract: RecoveryContract,
  locator: number,
  changedTo: string | null,
): AcceptanceCode | null => {
  if (!isSameTarget(contract, locator)) return "CONTRACT_LOCATOR";
  return changedTo !== null && !looksChanged(contract, changedTo) ? "CONTRACT_UNCHANGED" : null;
};

const refuseConclusion = (
  contract: RecoveryContract,
  event: Extract<ContractEvent, { type: "resolve" }>,
): AcceptanceCode | null => {
  const { about, sealsFingerprint, namesLocator } = conclusionOf(event.outcome);
  const fits =
    contract.enteredReconciliationFrom === about &&
    (event.fingerprint !== null) === sealsFingerprint &&
    (event.locator !== null) === namesLocator;
  if (!fits) return "CONTRACT_OUTCOME";
  return event.locator === null ? null : refuseObserved(contract, event.locator, event.fingerprint);
};

const accept = (
  before: RecoveryContract,
  event: ContractEvent,
  state: ContractState,
): ContractStep => {
  const contract: RecoveryContract = {
    ...before,
    state,
    stateVersion: before.stateVersion + 1,
    confirmation:
      event.type === "confirm" ? { digest: event.digest, at: event.at } : before.confirmation,
    verifiedTargetFingerprint: sealed(before, event),
    enteredReconciliationFrom:
      state === "RECONCILIATION" &&
      (before.state === "EXECUTING" || before.state === "ROLLING_BACK")
        ? before.state
        : null,
  };
  return {
    contract,
    effects: [
      { type: "write", contract },
      ...nonceEffects(contract, event),
      ...reservationEffects(before, contract),
      ...cooldownEffects(contract, event),
      { type: "audit", event: recordOf(contract, before.state, event) },
    ],
    refusal: null,
  };
};

const sealed = (before: RecoveryContract, event: ContractEvent): string | null =>
  event.type === "seal-verified" || (event.type === "resolve" && event.fingerprint !== null)
    ? event.fingerprint
    : before.verifiedTargetFingerprint;

const nonceEffects = (
  { contractId }: RecoveryContract,
  event: ContractEvent,
): readonly ContractEffect[] =>
  event.type === "confirm" || event.type === "resolve"
    ? [{ type: "spend-nonce", authorityId: event.authorityId, nonce: event.nonce, contractId }]
    : [];

/** Released at VERIFIED: what others change after that, a rollback finds and doesn't overwrite. */
const reservationEffects = (
  before: RecoveryContract,
  { contractId, targetIdentityDigest: target, state }: RecoveryContract,
): readonly ContractEffect[] => {
  if (holdsTarget(before.state) === holdsTarget(state)) return [];
  return [{ type: holdsTarget(state) ? "reserve" : "release", target, contractId }];
};

const cooldownEffects = (
  { targetIdentityDigest: target, state }: RecoveryContract,
  { at }: ContractEvent,
): readonly ContractEffect[] =>
  coolsDown(state) ? [{ type: "cool-down", target, until: at + RATE_LIMITS.cooldownMillis }] : [];

const recordOf = (
  contract: RecoveryContract,
  previousState: ContractState | null,
  event: ContractEvent | { readonly type: "created"; readonly at: Millis },
): TransitionRecord => {
  const cause = "cause" in event ? event.cause : null;
  return {
    at: event.at,
    contractId: contract.contractId,
    operationId: contract.operationId,
    capability: contract.capability,
    endpointSymbol: contract.endpointSymbol,
    httpMethod: contract.httpMethod,
    targetIdentityDigest: contract.targetIdentityDigest,
    intentDigest: contract.intentDigest,
    outcome: event.type,
    previousState,
    currentState: contract.state,
    stateVersion: contract.stateVersion,
    failureClass: cause?.failureClass ?? null,
    exceptionClass: cause?.exceptionClass ?? null,
    evidenceDigest: "digest" in event ? event.digest : null,
  };
};

const refuse = (contract: RecoveryContract, code: AcceptanceCode, why: string): ContractStep => ({
  contract,
  effects: [],
  refusal: { code, why: `contract ${contract.contractId}: ${why}` },
});
