/**
 * Why a contract, its store or its executor refuses. Codes are stable: people and programs rely on
 * them. After CONTRACT_… and RATE_… everything is as it was.
 */
export const ACCEPTANCE_CODES = {
  CANONICAL_INVALID: "A value without a canonical form: a float, a lone surrogate, a foreign type.",
  CANONICAL_LIMIT: "A value that is larger, longer or nested deeper than a contract's may be.",
  CANONICAL_KEY_COLLISION: "Two keys of one object that are the same in NFC.",

  ARTIFACT_KEY: "A key or a salt that is too short to protect anything.",
  ARTIFACT_UNREADABLE: "A protected artifact that this key doesn't open, or that was changed.",

  CONTRACT_INVALID: "A contract that no sequence of steps could have led to.",
  CONTRACT_UNKNOWN: "No contract with this id in this store.",
  CONTRACT_EXISTS: "A contract, an operation or this very change is in the store already.",
  CONTRACT_STALE: "The contract changed since the caller looked at it.",
  CONTRACT_TRANSITION: "A step that doesn't lead out of the contract's state.",
  CONTRACT_EXPIRED: "The contract's time is over; it can only become EXPIRED.",
  CONTRACT_UNEXPIRED: "The contract's time isn't over, so it can't become EXPIRED.",
  CONTRACT_UNCONFIRMED: "Nobody confirmed the contract.",
  CONTRACT_CONFIRMED: "The contract is confirmed already.",
  CONTRACT_LOCATOR: "The appliance has another number for the target than when it was prepared.",
  CONTRACT_OUTCOME: "A conclusion about another step than the one that was interrupted.",

  RATE_IN_FLIGHT: "Another change is on its way; only one may be.",
  RATE_OUTSTANDING: "Another contract for this target is prepared.",
  RATE_COOLDOWN: "Something was done to this target too short a time ago.",
  RATE_LOCKOUT: "Too many contracts wait for reconciliation.",
  TARGET_RESERVED: "Another contract holds the target.",

  EXECUTOR_UNAUTHORISED: "The policy doesn't grant this capability by this request.",
  EXECUTOR_ADAPTER_DIFFERENT: "The contract was prepared with another adapter.",
  EXECUTOR_ADAPTER_BROKEN: "The adapter did something that adapters don't.",
  EXECUTOR_INTENT_DIFFERENT: "The intent isn't the one that was prepared.",
  EXECUTOR_TARGET_DIFFERENT: "The adapter read another target than it was asked for.",
  EXECUTOR_TARGET_UNFIT: "A target that its snapshot couldn't bring back as it is.",
  EXECUTOR_SENT_ALREADY: "Something was sent already, and nothing is sent twice.",
} as const;

export type AcceptanceCode = keyof typeof ACCEPTANCE_CODES;
