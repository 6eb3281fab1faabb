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
  CONTRACT_UNCHANGED: "A change is claimed and the target looks as it did before.",
  CONTRACT_OUTCOME: "A conclusion about another step than the one that was interrupted.",

  EVIDENCE_INVALID: "Evidence of another form, or with a proof that is too long.",
  EVIDENCE_MISMATCH: "Evidence about another contract, another version of it or another change.",
  EVIDENCE_TIME: "Evidence from before the contract, or from the future.",
  EVIDENCE_UNVERIFIED: "Evidence that no configured verifier accepted.",
  EVIDENCE_REPLAYED: "Evidence whose nonce was used before.",

  RATE_IN_FLIGHT: "Another change is on its way; only one may be.",
  RATE_OUTSTANDING: "Another contract for this target is prepared.",
  RATE_COOLDOWN: "Something was done to this target too short a time ago.",
  RATE_LOCKOUT: "Too many contracts wait for reconciliation.",
  TARGET_RESERVED: "Another contract holds the target.",

  STORE_DIRECTORY: "The store's directory isn't a real one of this user alone (mode 0700).",
  STORE_FILE: "The store's file isn't a regular one of this user alone (mode 0600).",
  STORE_MISSING: "There was a store here, and it is gone.",
  STORE_KEY: "A key of fewer than 32 bytes.",
  STORE_CLOCK: "A clock that doesn't give whole milliseconds.",
  STORE_SCHEMA: "A file with other tables than this version writes.",
  STORE_INTEGRITY: "A row was changed, moved, removed or added, or the key or id is another.",
  STORE_ROLLED_BACK: "The store is older than what its anchor remembers.",
  STORE_ANCHOR: "The anchor can't be read or advanced, or is another store's.",
  STORE_UNANCHORED: "A store that has an anchor was opened without it.",
  STORE_COMMITTED_UNANCHORED: "The change is durable, and the anchor couldn't be told.",
  STORE_OCCUPIED: "Another process, which is alive, is at work with the store's contracts.",
  STORE_BUSY: "Another process holds the store.",
  STORE_FULL: "No room on the file system that holds the store.",
  STORE_UNWRITABLE: "The store can't be opened or written.",

  HISTORY_UNKNOWN: "Nothing says which appliance's history belongs to the endpoint.",
  HISTORY_REFUSED: "The appliance didn't give out its history.",
  HISTORY_INVALID: "The appliance's history isn't what its version documents.",
  HISTORY_EMPTY: "The appliance has no revision that one could go back to.",
  HISTORY_DISORDERED: "The appliance's revisions aren't one after the other, the newest first.",
  HISTORY_UNRESTORABLE: "The appliance's newest revision has no bytes.",

  EXECUTOR_UNAUTHORISED: "The policy doesn't grant this capability by this request.",
  EXECUTOR_ADAPTER_DIFFERENT: "The contract was prepared with another adapter.",
  EXECUTOR_ADAPTER_BROKEN: "The adapter did something that adapters don't.",
  EXECUTOR_INTENT_DIFFERENT: "The intent isn't the one that was prepared.",
  EXECUTOR_TARGET_DIFFERENT: "The adapter read another target than it was asked for.",
  EXECUTOR_TARGET_UNFIT: "A target that its snapshot couldn't bring back as it is.",
  EXECUTOR_HISTORY_UNAVAILABLE:
    "The appliance's own history couldn't be captured. Nothing was sent, and the contract is as it was.",
  EXECUTOR_SENT_ALREADY: "Something was sent already, and nothing is sent twice.",
} as const;

export type AcceptanceCode = keyof typeof ACCEPTANCE_CODES;
