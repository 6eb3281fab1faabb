import type { IpAddress } from "../../address/address.js";
import type { Transport } from "../answer/over-limit.js";
import type { Family } from "../message/question.js";

/** One look-up: both families' questions, side by side. */
export interface LookupState {
  /** On the same clock as the events' `at`, in milliseconds. */
  readonly deadline: number;
  readonly maxUnrelated: number;
  /** Messages so far that weren't to the question they came to. */
  readonly unrelated: number;
  /** Questions asked so far; the next one's number. */
  readonly asked: number;
  readonly v4: FamilyState;
  readonly v6: FamilyState;
  readonly done: boolean;
}

export type FamilyState =
  | {
      readonly kind: "asking";
      readonly query: number;
      readonly over: Transport;
      /** Turns in order, by the server's index; the first is the one that is being asked. */
      readonly turns: readonly number[];
      /** Some server answered that it can't, or couldn't be reached. */
      readonly failed: boolean;
    }
  | { readonly kind: "answered"; readonly addresses: readonly IpAddress[]; readonly ttl: number };

export type LookupOutcome =
  | { readonly kind: "addresses"; readonly addresses: readonly IpAddress[]; readonly ttl: number }
  | { readonly kind: "refused"; readonly reason: LookupReason };

export type LookupReason =
  | "DNS_TIMEOUT"
  | "DNS_EMPTY"
  | "DNS_NO_NAME"
  | "DNS_FAILED"
  | "DNS_MALFORMED"
  | "DNS_TOO_MANY";

export type LookupEffect =
  /** A new socket, id and case; `waitMs` later without an answer: `silent`. */
  | {
      readonly type: "ask";
      readonly query: number;
      readonly family: Family;
      readonly server: number;
      readonly over: Transport;
      readonly waitMs: number;
    }
  /** The query's socket closes now. */
  | { readonly type: "drop"; readonly query: number }
  /** All sockets close now. The last effect. */
  | { readonly type: "end"; readonly outcome: LookupOutcome };
