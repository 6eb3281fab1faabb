import type { Reason } from "../decision/index.js";

/** What the broker reads of a ClientHello (RFC 8446 §4.1.2); nothing else of it decides anything. */
export interface ClientHello {
  /** The one host_name of RFC 6066 §3 as it stands there, or null without that extension. */
  readonly serverName: string | null;
  /** It carries an encrypted ClientHello (RFC 9849), real or GREASE, or one of its drafts. */
  readonly ech: boolean;
  /** It announces early data (RFC 8446 §4.2.10), which may follow at once. */
  readonly earlyData: boolean;
  /** Protocol names of RFC 7301 in the client's order, or null without that extension. */
  readonly alpn: readonly string[] | null;
}

export type HelloStep =
  | { readonly kind: "more" }
  | {
      readonly kind: "hello";
      readonly hello: ClientHello;
      /** Every byte up to the end of the hello's last record, to be forwarded untouched. */
      readonly raw: Uint8Array;
      /** What was pushed behind it. */
      readonly rest: Uint8Array;
    }
  | { readonly kind: "refused"; readonly reason: Reason };

export interface HelloReader {
  /** Call it until it answers something else than `more`; then no more. */
  push(bytes: Uint8Array): HelloStep;
}

export interface HelloLimits {
  /** Of all records together, headers included. */
  readonly maxBytes: number;
  readonly maxRecords: number;
}

/**
 * Hellos with post-quantum key shares have 1.5 to 4 KiB, with big session tickets up to 16 KiB.
 * No client is known to use more than a handful of records.
 */
export const HELLO_LIMITS: HelloLimits = { maxBytes: 32 * 1024, maxRecords: 64 };
