import type { Authority } from "../authority/authority.js";

/**
 * `tls`: forwarded untouched once the ClientHello's server name equals the authority.
 * `tcp-opaque`: forwarded untouched. `http`: absolute-form requests, parsed one by one.
 */
export type EgressProtocol = "tls" | "tcp-opaque" | "http";

/** One authority that the policy grants, and where it says so. */
export interface EgressGrant {
  readonly authority: Authority;
  readonly protocol: EgressProtocol;
  readonly purpose: string;
  /** Accepts an encrypted ClientHello (RFC 9849), whose inner name nobody here can see. */
  readonly allowEch: boolean;
  /** Method and path rules; with them, or with a secret, TLS is terminated. Null: any request. */
  readonly requests: readonly RequestRule[] | null;
  /** Opt-in to TLS termination with the run's own name-constrained CA. */
  readonly terminate: boolean;
  /** Line in the policy file, from 1; null where the policy has no file. */
  readonly line: number | null;
}

/** A request is admitted when one rule names its method and matches its path. */
export interface RequestRule {
  readonly methods: readonly string[];
  /** An exact path, or a prefix that ends in `/`; compared without decoding. */
  readonly path: string;
}

export interface ResolverAddress {
  /** Canonical text of an IP address. */
  readonly address: string;
  readonly port: number;
}

/** Times in milliseconds. All are required in a signed policy; defaults and ranges in `limits.ts`. */
export interface EgressLimits {
  readonly maxConnections: number;
  readonly maxHeaderBytes: number;
  readonly headerTimeoutMs: number;
  readonly dnsTimeoutMs: number;
  /** How old a kept answer may be; 0 keeps none. */
  readonly maxAnswerAgeMs: number;
  /** For each address. */
  readonly connectTimeoutMs: number;
  /** From the 200 to a complete ClientHello. */
  readonly helloTimeoutMs: number;
  /** Without a byte in either direction. */
  readonly idleTimeoutMs: number;
  readonly lifetimeMs: number;
  readonly maxBytesUp: number;
  readonly maxBytesDown: number;
}

/** A parsed `drydock.egress/v1`, or its projection from an appliance policy. */
export interface EgressPolicy {
  readonly grants: readonly EgressGrant[];
  /** Asked in this order. The hosts file and search lists are never used. */
  readonly resolvers: readonly ResolverAddress[];
  readonly limits: EgressLimits;
  /** SHA-256 of the policy's canonical JSON, as `sha256:` and 64 hexadecimal digits. */
  readonly digest: string;
}
