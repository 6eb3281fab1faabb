import type { IpAddress } from "../../address/address.js";

/** What one message says to one question. */
export type Answer =
  /** Not to this question: somebody else's, late, or forged. It proves nothing. */
  | { readonly kind: "unrelated" }
  /** Too long for a datagram; to be asked over TCP (RFC 2181 §9: the rest isn't looked at). */
  | { readonly kind: "truncated" }
  /** The server says that it couldn't or wouldn't answer. */
  | { readonly kind: "failed" }
  | { readonly kind: "no-name" }
  /**
   * Complete; without any address the name exists and has none of this family. `ttl` is the
   * shortest of all records on the way, in seconds; Infinity where there is none.
   */
  | { readonly kind: "addresses"; readonly addresses: readonly IpAddress[]; readonly ttl: number }
  | { readonly kind: "refused"; readonly reason: "DNS_MALFORMED" | "DNS_TOO_MANY" };
