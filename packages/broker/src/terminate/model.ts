import type { Duplex } from "node:stream";
import type { Authority } from "../authority/authority.js";
import type { Reason } from "../decision/index.js";
import type { RequestRule } from "../policy/model.js";
import type { Inspection } from "../secret/index.js";
import type { Timers } from "../timers.js";
import type { RunCa } from "./ca.js";

export type HttpVersion = "http/1.1" | "h2";

export interface TerminateOptions {
  readonly authority: Authority;
  /** The grant's rules; null admits every request. */
  readonly requests: readonly RequestRule[] | null;
  /** A connection that was dialled to a checked address of the authority. No byte was sent yet. */
  readonly upstream: Duplex;
  /** What was read of the client: its ClientHello, bound to the authority, and what followed. */
  readonly hello: {
    readonly bytes: Uint8Array;
    /** RFC 7301 protocol names in the client's order; null without the extension. */
    readonly alpn: readonly string[] | null;
  };
  readonly ca: RunCa;
  readonly inspection: Inspection;
  /** PEM certificates that are trusted besides Node's roots. Empty but for a private service. */
  readonly upstreamRoots: readonly string[];
  readonly limits: TerminateLimits;
  readonly timers: Timers;
  /** False when it couldn't be recorded: then the request isn't sent. */
  readonly onEvent: (event: TerminateEvent) => boolean;
  /** Raw bytes as they pass the client's connection, for the tunnel's idle and byte limits. */
  readonly onBytes?: (direction: "up" | "down", count: number) => void;
}

export interface TerminateLimits {
  /** Of one request or response head. */
  readonly maxHeaderBytes: number;
  /** From the handshake, or a later HTTP/1.1 head's first byte, to a whole head, in milliseconds. */
  readonly headerTimeoutMs: number;
  /** For each of the two TLS handshakes, in milliseconds. */
  readonly handshakeTimeoutMs: number;
}

/** Nothing in an event is a path, a field, a body or a value: it may go into receipts. */
export type TerminateEvent =
  | {
      readonly kind: "admitted";
      readonly method: string;
      /** Index of the rule; null without rules. */
      readonly rule: number | null;
      /** Names of the secrets that were put in. */
      readonly secrets: readonly string[];
    }
  | {
      readonly kind: "refused";
      readonly reason: Reason;
      readonly status: number;
      /** Name of the secret whose placeholder was misplaced, or id of the canary. */
      readonly finding: string | null;
    };

export interface TerminateOutcome {
  readonly reason: Reason;
  readonly http: HttpVersion | null;
  /** Raw bytes from and to the client, the hello's included. */
  readonly up: number;
  readonly down: number;
  readonly admitted: number;
  readonly refused: number;
  /** Name of the secret, or id of the canary, that ended the tunnel. */
  readonly finding: string | null;
}

export interface Termination {
  /** Settles once, when both connections are closed. Never rejects. */
  readonly ended: Promise<TerminateOutcome>;
  /** Ends the tunnel from outside: a limit of the service, or a revocation. */
  end(reason: Reason): void;
}
