import { idempotencyKey } from "../canonical/index.js";
import type { ContractState, RecoveryContract } from "./model.js";

type Presence = "required" | "forbidden" | "either";

/** Who was confirmed before it began, and what was never confirmed can't have begun. */
const CONFIRMATION: Readonly<Record<ContractState, Presence>> = {
  PREPARING: "forbidden",
  PREPARED: "either",
  EXECUTING: "required",
  VERIFIED: "required",
  ROLLING_BACK: "required",
  ROLLED_BACK: "required",
  ROLLBACK_FAILED: "required",
  RECONCILIATION: "required",
  FAILED: "either",
  EXPIRED: "either",
};

const sealedPresence = ({ state, enteredReconciliationFrom }: RecoveryContract): Presence => {
  switch (state) {
    case "VERIFIED":
    case "ROLLING_BACK":
    case "ROLLED_BACK":
    case "ROLLBACK_FAILED":
      return "required";
    case "RECONCILIATION":
      return enteredReconciliationFrom === "ROLLING_BACK" ? "required" : "forbidden";
    case "PREPARING":
    case "PREPARED":
    case "EXECUTING":
    case "FAILED":
    case "EXPIRED":
      return "forbidden";
  }
};

/**
 * What is wrong with a contract whose fields are each well-formed; null when some sequence of steps
 * could have led to it.
 */
export const inconsistency = (contract: RecoveryContract): string | null => {
  const { state, confirmation, verifiedTargetFingerprint, enteredReconciliationFrom } = contract;
  if (contract.idempotencyKey !== idempotencyKey(contract)) return "its key isn't of its change";
  if (contract.expiresAt <= contract.createdAt) return "it expires before it is created";
  if (!fits(CONFIRMATION[state], confirmation)) return `confirmation in ${state}`;
  if (confirmation !== null && confirmation.at >= contract.expiresAt) return "confirmed too late";
  if ((state === "RECONCILIATION") !== (enteredReconciliationFrom !== null)) {
    return `entered reconciliation in ${state}`;
  }
  if (!fits(sealedPresence(contract), verifiedTargetFingerprint)) return `fingerprint in ${state}`;
  if (verifiedTargetFingerprint === contract.targetFingerprint) return "verified, and unchanged";
  return null;
};

const fits = (presence: Presence, value: unknown): boolean =>
  presence === "either" || (presence === "required") === (value !== null);
