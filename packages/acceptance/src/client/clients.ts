import type { JsonObject } from "@drydock/evidence";
import type { ApiPath, EndpointSymbol, HttpMethod } from "./endpoints.js";

export interface ReadAnswer {
  /** HTTP status. Redirects aren't followed. */
  readonly status: number;
  /** Parsed JSON; null for an empty body. Untrusted. */
  readonly body: unknown;
}

/** GET and nothing else. */
export interface ReadClient {
  /** @throws TransportError when there is no complete answer, or none that is JSON. */
  get(path: ApiPath, query?: Readonly<Record<string, string | number>>): Promise<ReadAnswer>;
}

/** One mutation, of a closed shape that an adapter built. */
export interface ApplianceRequest {
  readonly method: HttpMethod;
  readonly endpoint: EndpointSymbol;
  readonly body: JsonObject;
}

/**
 * What is known after one attempt to send.
 *
 * - `answered`: a complete response arrived. What it means is the executor's to say.
 * - `not-sent`: proven that the appliance got no byte of the request: it was never allowed to
 *   leave, or no connection was there to carry it. A failed TLS handshake counts, since it comes
 *   before the request; a connection that broke after the first byte was written never does.
 * - `ambiguous`: everything else. The appliance may have done it or not.
 */
export type SendOutcome =
  | { readonly kind: "answered"; readonly status: number; readonly body: unknown }
  | { readonly kind: "not-sent"; readonly reason: NotSentReason }
  | { readonly kind: "ambiguous"; readonly reason: AmbiguousReason };

export type NotSentReason = "NOT_ALLOW_LISTED" | "CONNECT_FAILED";

export type AmbiguousReason =
  | "RESET"
  | "TIMEOUT"
  | "TRUNCATED"
  | "PROTOCOL"
  | "TLS"
  /** The client threw, which its contract doesn't provide for. */
  | "UNKNOWN";

/**
 * Sends at most one request for each call: no retry, no redirect, no reconnection, no reused
 * connection that the other side may have closed.
 */
export interface WriteClient {
  send(request: ApplianceRequest): Promise<SendOutcome>;
}
