import type { RateStanding } from "../rate/standing.js";
import type { HexDigest, Identifier, Millis, RecoveryContract } from "./model.js";

/** Why something ended as it did, in words that carry no value. */
export interface Cause {
  /** Such as TARGET_DRIFTED or SEND_TIMEOUT. */
  readonly failureClass: Identifier;
  /** The class or code of an error; never its message. */
  readonly exceptionClass: Identifier | null;
}

/** What a signed conclusion says; there is no "unknown": that is to leave it unresolved. */
export type ReconciliationOutcome =
  | "confirmed_applied"
  | "confirmed_not_applied"
  | "confirmed_rollback_applied"
  | "confirmed_rollback_not_applied";

/**
 * Everything that can happen to a contract after it was created. `at` is the store's clock.
 * `seen` is the version that the caller looked at when it decided.
 */
export type ContractEvent =
  | (Happening & { readonly type: "prepared" })
  | (Happening & {
      readonly type: "confirm";
      /** Of the evidence that a verifier accepted. */
      readonly digest: HexDigest;
      readonly authorityId: Identifier;
      readonly nonce: Identifier;
    })
  | (Happening & { readonly type: "acquire"; readonly standing: RateStanding })
  | (Happening & { readonly type: "expire" })
  /** Nothing happened to the appliance, and that is proven. */
  | (Happening & { readonly type: "fail"; readonly cause: Cause })
  | (Happening & {
      readonly type: "seal-verified";
      readonly fingerprint: HexDigest;
      readonly locator: number;
    })
  /** Nobody knows whether anything happened to the appliance. */
  | (Happening & { readonly type: "lose-track"; readonly cause: Cause })
  | (Happening & { readonly type: "begin-rollback"; readonly standing: RateStanding })
  | (Happening & { readonly type: "seal-rolled-back"; readonly locator: number })
  | (Happening & { readonly type: "fail-rollback"; readonly cause: Cause })
  /** Whoever was at work is gone. Nothing is sent again. */
  | (Happening & { readonly type: "interrupted" })
  | (Happening & {
      readonly type: "resolve";
      readonly outcome: ReconciliationOutcome;
      readonly digest: HexDigest;
      readonly authorityId: Identifier;
      readonly nonce: Identifier;
      readonly fingerprint: HexDigest | null;
      readonly locator: number | null;
    });

interface Happening {
  readonly seen: number;
  readonly at: Millis;
}

export type ContractEventType = ContractEvent["type"];

/** What has to become durable together, all or nothing, before anybody acts on it. */
export type ContractEffect =
  | { readonly type: "write"; readonly contract: RecoveryContract }
  | { readonly type: "reserve"; readonly target: HexDigest; readonly contractId: Identifier }
  | { readonly type: "release"; readonly target: HexDigest; readonly contractId: Identifier }
  | { readonly type: "cool-down"; readonly target: HexDigest; readonly until: Millis }
  | {
      readonly type: "spend-nonce";
      readonly authorityId: Identifier;
      readonly nonce: Identifier;
      readonly contractId: Identifier;
    }
  | { readonly type: "audit"; readonly event: TransitionRecord };

/** One line of a contract's history: no value, no message. */
export interface TransitionRecord {
  readonly at: Millis;
  readonly contractId: Identifier;
  readonly operationId: Identifier;
  readonly capability: string;
  readonly endpointSymbol: string;
  readonly httpMethod: string;
  readonly targetIdentityDigest: HexDigest;
  readonly intentDigest: HexDigest;
  readonly outcome: ContractEventType | "created";
  readonly previousState: RecoveryContract["state"] | null;
  readonly currentState: RecoveryContract["state"];
  readonly stateVersion: number;
  readonly failureClass: Identifier | null;
  readonly exceptionClass: Identifier | null;
  /** Of the evidence, when the event rests on some. */
  readonly evidenceDigest: HexDigest | null;
}
