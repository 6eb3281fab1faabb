import { hash } from "node:crypto";
import { canonicalBytes } from "../json/canonical.js";
import type { Digest } from "../schema/common.js";

export const sha256 = (bytes: Uint8Array): Buffer => hash("sha256", bytes, "buffer");

/** `sha256:` + hex of the bytes as they are. */
export const digestOf = (bytes: Uint8Array): Digest => `sha256:${hash("sha256", bytes, "hex")}`;

/** Digest of a value's RFC 8785 form. */
export const digestOfValue = (value: unknown): Digest => digestOf(canonicalBytes(value));

/** The 32 bytes behind a digest that was parsed already. */
export const digestBytes = (digest: Digest): Buffer => Buffer.from(digest.slice(7), "hex");
