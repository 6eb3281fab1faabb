import type { HttpMethod } from "../client/index.js";

/**
 * PREPARING → PREPARED → EXECUTING → VERIFIED → ROLLING_BACK → ROLLED_BACK is the straight way.
 * RECONCILIATION means that nobody knows whether the appliance changed: the target stays locked
 * until signed evidence says. FAILED, ROLLED_BACK, ROLLBACK_FAILED and EXPIRED are for ever.
 */
export const CONTRACT_STATES = [
  "PREPARING",
  "PREPARED",
  "EXECUTING",
  "VERIFIED",
  "ROLLING_BACK",
  "ROLLED_BACK",
  "ROLLBACK_FAILED",
  "RECONCILIATION",
  "FAILED",
  "EXPIRED",
] as const;
export type ContractState = (typeof CONTRACT_STATES)[number];

/** Alphanumeric first, then `[A-Za-z0-9_.:-]`, at most 128. */
export type Identifier = string;
/** 64 lower-case hexadecimal digits: SHA-256. */
export type HexDigest = string;
/** Integer milliseconds since the epoch. */
export type Millis = number;

/** What is kept encrypted: which target, what was asked for, what the target was before. */
export const ARTIFACT_ROLES = ["identity", "intent", "snapshot"] as const;
export type ArtifactRole = (typeof ARTIFACT_ROLES)[number];

/** Standard base64 of nonce, ciphertext and tag, by role; see artifact/. */
export interface ProtectedArtifacts extends Readonly<Record<ArtifactRole, string>> {
  /** What makes the key of these three no other contract's, 64 hex digits. */
  readonly salt: string;
}

/** That somebody confirmed: the digest of what was signed. The proof itself isn't kept. */
export interface Confirmation {
  readonly digest: HexDigest;
  readonly at: Millis;
}

/** What was under way when nobody could say any more how it went. */
export type InterruptedState = Extract<ContractState, "EXECUTING" | "ROLLING_BACK">;

/** What a contract is about, fixed for ever when it is created. */
export interface ContractTerms {
  readonly contractId: Identifier;
  readonly operationId: Identifier;
  /** Follows from the change and the state it starts from, not from the two ids. */
  readonly idempotencyKey: HexDigest;
  /** Ends in `_WRITE`. */
  readonly capability: string;
  readonly endpointSymbol: string;
  readonly httpMethod: HttpMethod;
  readonly targetIdentityDigest: HexDigest;
  /** Of the target before the change. */
  readonly targetFingerprint: HexDigest;
  /** The appliance's own number for the target, 0 to 2^31 − 1: a guard, never an identity. */
  readonly lifecycleLocator: number;
  readonly intentDigest: HexDigest;
  readonly snapshotDigest: HexDigest;
  readonly rollbackPlanVersion: Identifier;
  readonly createdAt: Millis;
  readonly expiresAt: Millis;
  readonly artifacts: ProtectedArtifacts;
  /** Who allowed it, such as a key's id. */
  readonly authorizationProvenance: Identifier | null;
}

export interface RecoveryContract extends ContractTerms {
  readonly state: ContractState;
  /** 1 when created, one more with each change. */
  readonly stateVersion: number;
  /** From confirmation on; never in PREPARING. */
  readonly confirmation: Confirmation | null;
  /** Of the target after the change, sealed with VERIFIED: what a rollback has to find. */
  readonly verifiedTargetFingerprint: HexDigest | null;
  /** In RECONCILIATION, and only there. */
  readonly enteredReconciliationFrom: InterruptedState | null;
}

/** Which contract, as its caller last saw it: an older version than the store's is refused. */
export type SeenContract = Pick<RecoveryContract, "contractId" | "stateVersion">;
