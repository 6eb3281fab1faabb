import { hash } from "node:crypto";
import type { HexDigest } from "../contract/model.js";
import { type CanonicalValue, canonicalBytes } from "./canonicalise.js";
import { framed } from "./frame.js";

/** Of the specification that these digests follow: the same value has the same digest there. */
export const DOMAIN = "pfSense-MCP/Tier1/v1";

/** What a digest is of. The same value under two purposes has two digests. */
export type Purpose =
  | "target-identity"
  | "target-fingerprint"
  | "intent"
  | "snapshot"
  | "confirmation"
  | "idempotency"
  | "reconciliation"
  /** Ours; the specification has none. */
  | "history-head";

/** The bytes that a digest is of, and that a signature for this purpose is over. */
export const purposeBytes = (
  purpose: Purpose,
  context: readonly string[],
  value: CanonicalValue,
): Buffer => framed([DOMAIN, purpose, ...context, canonicalBytes(value)]);

export const purposeDigest = (
  purpose: Purpose,
  context: readonly string[],
  value: CanonicalValue,
): HexDigest => sha256Hex(purposeBytes(purpose, context, value));

export const sha256Hex = (bytes: Uint8Array): HexDigest => hash("sha256", bytes, "hex");
