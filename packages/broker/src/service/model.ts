import type { Duplex } from "node:stream";
import type { IpAddress } from "../address/address.js";
import type { Reason } from "../decision/index.js";
import type { EgressGrant, EgressPolicy } from "../policy/index.js";
import type { Resolver } from "../resolve/index.js";
import type { TerminateEvent, Termination } from "../terminate/index.js";
import type { Timers } from "../timers.js";
import type { EgressReceipt } from "./receipt.js";

export interface BrokerOptions {
  readonly policy: EgressPolicy;
  readonly resolver: Resolver;
  readonly dial: Dial;
  readonly timers: Timers;
  /** Takes each receipt before what it speaks of happens. A broker that can't write one ends. */
  readonly receipts: (receipt: EgressReceipt) => void;
  /** Told once that a receipt couldn't be written. Everything was ended by then. */
  readonly onBroken?: (error: unknown) => void;
  /** Needed when a grant of the policy, or a secret, asks for it. */
  readonly terminate?: Terminate;
  /** Whether a grant's TLS is terminated; the grant alone says so unless given. */
  readonly terminates?: (grant: EgressGrant) => boolean;
  /** Look-ups at once; the others wait for their turn. Each takes up to two descriptors. */
  readonly maxLookups?: number;
  /**
   * Why nothing may go out at present, whatever the policy grants; null when it may. Asked for every
   * request, before its name is looked up and before it is dialled.
   */
  readonly withheld?: () => Reason | null;
  /** Requests decided about; the next one is refused with DECISIONS, and everything is revoked. */
  readonly maxDecisions?: number;
}

export interface Broker {
  /** Takes a client's byte stream over: a socket, or a stream of a guest's channel. */
  accept(client: Duplex): void;
  /** Counts a connection that was closed unread because there was no room for it. */
  shed(): void;
  /** Ends everything at once, by reset. What comes afterwards is refused with HALTED. */
  revoke(): void;
  /** Revokes, and resolves when every connection is gone and every receipt is written. */
  close(): Promise<void>;
  readonly counters: BrokerCounters;
}

export interface BrokerCounters {
  /** Connections that were taken, and those that are there now. */
  readonly connections: number;
  readonly live: number;
  readonly granted: number;
  /** Requests that were refused, and tunnels that were ended for what they carried. */
  readonly denied: number;
  readonly refusals: ReadonlyMap<Reason, number>;
  readonly shed: number;
  readonly bytesUp: number;
  readonly bytesDown: number;
}

/** Dials one address, once, without any look-up. */
export type Dial = (
  address: IpAddress,
  port: number,
  options: { readonly timeoutMs: number; readonly signal: AbortSignal },
) => Promise<Dialled>;

export type Dialled =
  | { readonly kind: "connected"; readonly socket: Duplex }
  | {
      readonly kind: "failed";
      readonly reason: "CONNECT_REFUSED" | "CONNECT_TIMEOUT" | "CONNECT_FAILED";
    };

/** Carries a tunnel whose TLS is terminated here. */
export type Terminate = (
  client: Duplex,
  session: {
    readonly grant: EgressGrant;
    readonly upstream: Duplex;
    readonly hello: { readonly bytes: Uint8Array; readonly alpn: readonly string[] | null };
    readonly onEvent: (event: TerminateEvent) => boolean;
    readonly onBytes: (direction: "up" | "down", count: number) => void;
  },
) => Termination;
