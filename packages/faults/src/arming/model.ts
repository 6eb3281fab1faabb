/** What a cycle does: a change, or taking it back. */
export type Operation = "forward" | "rollback";

/**
 * Where in a cycle a request stands. Known by order and by nothing else: reads before an
 * operation's first mutation, its mutations, and the reads after it.
 */
export const PHASES = [
  "pre-send-read",
  "mutation",
  "readback",
  "pre-rollback-read",
  "rollback",
  "rollback-readback",
] as const;
export type Phase = (typeof PHASES)[number];

/** A number, or a range that the arming's seed draws from. Bytes or milliseconds. */
export type Amount = number | { readonly min: number; readonly max: number };

export type Fault =
  /** Nothing: the control of every other. */
  | { readonly kind: "pass" }
  /** The client is reset when its request is complete; the upstream gets no byte of it. */
  | { readonly kind: "reset-before" }
  /** So many bytes of the request, head included, reach the upstream; then both are reset. */
  | { readonly kind: "reset-upload"; readonly afterBytes: Amount }
  /**
   * The upstream's whole 2xx answer is read and thrown away: it is known to have committed. Then
   * the client is reset, or left waiting. Any other status passes, and the fault didn't take.
   */
  | { readonly kind: "drop-response"; readonly ending?: "reset" | "silence" }
  /** So many bytes of the answer's body pass, then the connection is closed. */
  | { readonly kind: "truncate-response"; readonly afterBytes: Amount }
  | { readonly kind: "delay"; readonly direction: "request" | "response"; readonly ms: Amount }
  /**
   * Nothing passes any more: of the request, which then never reaches the upstream; or of the
   * answer, which the proxy doesn't look at either. Closed after `ms`, or when the client gives up.
   */
  | { readonly kind: "timeout"; readonly direction: "request" | "response"; readonly ms?: Amount }
  /** The upstream gets the request so many times, one after the other; the first answer passes. */
  | { readonly kind: "duplicate"; readonly copies?: number };

export type FaultKind = Fault["kind"];

/** Faults with their amounts drawn: what happens to one request. */
export interface Plan {
  readonly kinds: readonly FaultKind[];
  readonly delayRequestMs: number;
  readonly request:
    | { readonly kind: "deliver"; readonly copies: number }
    | { readonly kind: "reset-before" }
    | { readonly kind: "reset-upload"; readonly afterBytes: number }
    | { readonly kind: "timeout"; readonly ms: number };
  readonly delayResponseMs: number;
  readonly response:
    | { readonly kind: "pass" }
    | { readonly kind: "drop"; readonly ending: "reset" | "silence" }
    | { readonly kind: "truncate"; readonly afterBytes: number }
    | { readonly kind: "timeout"; readonly ms: number };
}

export interface Arming {
  readonly id: string;
  readonly phase: Phase;
  /** Fires at the so many-eth request of its phase after it was armed. */
  readonly nth: number;
  readonly plan: Plan;
}
