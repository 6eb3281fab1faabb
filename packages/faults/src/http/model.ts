import type { FaultKind, Phase } from "../arming/model.js";
import type { Delivered } from "./delivery.js";

/** How an exchange ended, as the client saw it. */
export const OUTCOMES = [
  "open",
  "answered",
  "reset",
  "dropped",
  "truncated",
  "timed-out",
  "client-gone",
  "upstream-unreachable",
  "upstream-failed",
  "refused-deadline",
  "refused-too-large",
] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** One request, without any value of it: no body, header, query or name. */
export interface ExchangeRecord {
  /** From 1, in the order in which the heads of requests came. */
  readonly seq: number;
  readonly phase: Phase;
  readonly method: string;
  /** One of the owner's templates, or `{unlisted}`. */
  readonly path: string;
  /** The upstream's, or null when it gave none that was looked at. */
  readonly status: number | null;
  /** Milliseconds since the proxy started, and until the exchange ended; null while it is open. */
  readonly atMs: number;
  readonly durationMs: number | null;
  readonly delivered: Delivered;
  /** How many whole copies of the request were handed to the upstream. */
  readonly copies: number;
  readonly outcome: Outcome;
  readonly fault: {
    readonly arming: string;
    readonly kinds: readonly FaultKind[];
    /** Those that had an effect. */
    readonly took: readonly FaultKind[];
  } | null;
}
