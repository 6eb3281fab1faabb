import type { Authority } from "../authority/authority.js";
import type { Reason } from "../decision/reason.js";

export type HttpVersion = "1.0" | "1.1";

/** `name` in lower case, `value` without surrounding white space, each character one octet. */
export interface Field {
  readonly name: string;
  readonly value: string;
}

/** Where a message's content ends (RFC 9112 §6.3). `until-close` only in responses. */
export type Framing =
  | { readonly kind: "none" }
  | { readonly kind: "length"; readonly bytes: number }
  | { readonly kind: "chunked" }
  | { readonly kind: "until-close" };

export interface HeadLimits {
  /** Of a whole head, from its first byte to the end of its empty line. */
  readonly maxHeaderBytes: number;
}

interface Refused {
  readonly kind: "refused";
  readonly reason: Reason;
}

/** CONNECT: no field of it is passed on. */
export interface ConnectRequest {
  readonly kind: "connect";
  readonly authority: Authority;
  readonly version: HttpVersion;
  /**
   * What came after the head. RFC 9110 §9.3.6 lets nobody read it as another request: after the
   * 200 it is the tunnel's first bytes, and after a refusal it is dropped and the connection closed.
   */
  readonly rest: Uint8Array;
}

/** A request in absolute-form, for the protocol `http`. */
export interface AbsoluteRequest {
  readonly kind: "absolute";
  readonly method: string;
  readonly authority: Authority;
  /** Starts with `/`, holds no dot segment in any spelling, is never decoded. */
  readonly path: string;
  /** Without its question mark; null where there is none. */
  readonly query: string | null;
  readonly version: HttpVersion;
  /** End-to-end fields; without Host, Content-Length and Expect, which `writeRequestHead` owns. */
  readonly fields: readonly Field[];
  readonly body: Framing;
  /** The client waits for `100 Continue` before it sends the body. The broker answers it itself. */
  readonly expectContinue: boolean;
  /** Whether the client would send another request on this connection. */
  readonly keepAlive: boolean;
  /** What came after the head: the body, then further requests. */
  readonly rest: Uint8Array;
}

export type RequestStep = { readonly kind: "more" } | ConnectRequest | AbsoluteRequest | Refused;

export interface ResponseHead {
  readonly kind: "response";
  readonly version: HttpVersion;
  /** 200 to 599. */
  readonly status: number;
  /** May be empty. */
  readonly phrase: string;
  /** End-to-end fields; Content-Length only where there's no content that it could frame. */
  readonly fields: readonly Field[];
  readonly body: Framing;
  readonly rest: Uint8Array;
}

export type ResponseStep =
  | { readonly kind: "more" }
  /** A 1xx response other than 101. Pass it on or drop it; then push `rest`. */
  | {
      readonly kind: "interim";
      readonly status: number;
      readonly phrase: string;
      readonly fields: readonly Field[];
      readonly rest: Uint8Array;
    }
  | ResponseHead
  | Refused;

/** Content without its framing, in the pieces it came in. */
export type BodyStep =
  | { readonly kind: "data"; readonly data: readonly Uint8Array[] }
  | { readonly kind: "end"; readonly data: readonly Uint8Array[]; readonly rest: Uint8Array }
  | Refused;
