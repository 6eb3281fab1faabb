import type { Reason } from "../decision/index.js";
import type { EgressLimits } from "../policy/index.js";

/** Whose end of a tunnel. `client` to `upstream` is up. */
export type Side = "client" | "upstream";

export type TunnelLimits = Pick<
  EgressLimits,
  "idleTimeoutMs" | "lifetimeMs" | "maxBytesUp" | "maxBytesDown"
>;

/** What a tunnel came to. */
export interface TunnelSummary {
  /** `CLOSED` when both sides were done, otherwise why it was cut. */
  readonly reason: Reason;
  /** Bytes forwarded to the upstream, and to the client. */
  readonly up: number;
  readonly down: number;
  /** Name of the secret, or id of the canary, that ended it. */
  readonly finding?: string | null;
}

/** Which sides are read. A side that isn't read fills up and stops by itself. */
export type Reading = "client" | "upstream" | "both";

export type GateStep =
  | {
      readonly kind: "pass";
      readonly toUpstream: readonly Uint8Array[];
      readonly toClient: readonly Uint8Array[];
      readonly read: Reading;
    }
  /** Forwards these, then everything both ways; the gate isn't asked again. */
  | {
      readonly kind: "open";
      readonly toUpstream: readonly Uint8Array[];
      readonly toClient: readonly Uint8Array[];
    }
  /** Forwards these; then the client is given back and the upstream dropped. */
  | { readonly kind: "done"; readonly toClient: readonly Uint8Array[] }
  | { readonly kind: "refused"; readonly reason: Reason };

/**
 * Decides what passes where not everything may. Pure but for what it remembers; it keeps what may
 * not pass yet, within limits of its own.
 */
export interface Gate {
  start(): GateStep;
  fromClient(bytes: Uint8Array): GateStep;
  fromUpstream(bytes: Uint8Array): GateStep;
  /** That side will send nothing more. Null: half-close the other side, as without a gate. */
  ended(side: Side): GateStep | null;
}
