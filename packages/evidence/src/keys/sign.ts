import { sign } from "node:crypto";
import type { PublicKey, SigningKey } from "./key.js";
import { isSignatureValid } from "./verify-signature.js";

/**
 * What a signature is for. A key is trusted for listed namespaces only, and a signature made in
 * one never verifies in another, because the signed bytes begin differently:
 * `log`, `journal`: a C2SP note whose first line is the origin; `verdict`: the DSSE
 * pre-authentication encoding; `witness`: a C2SP cosignature; all others: the framing of
 * `signIn` below. `delegation` signs nothing of its own: it lets a controller's log name keys.
 */
export const NAMESPACES = [
  "log",
  "journal",
  "verdict",
  "delegation",
  "witness",
  "policy",
  "plan",
  "approval",
  "halt",
  "promotion",
  "observation",
] as const;
export type Namespace = (typeof NAMESPACES)[number];

/** Namespaces whose signed bytes have a format of their own. */
type Framed = Exclude<Namespace, "log" | "journal" | "verdict" | "delegation" | "witness">;

const framed = (namespace: Framed, message: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(`drydock.dev/signature/v1\n${namespace}\n`, "utf8"), message]);

export const signBytes = (message: Uint8Array, key: SigningKey): Buffer =>
  sign(null, message, key.object);

/** Signs `message` so that the signature is worth nothing in any other namespace. */
export const signIn = (namespace: Framed, message: Uint8Array, key: SigningKey): Buffer =>
  signBytes(framed(namespace, message), key);

export const verifyIn = (
  namespace: Framed,
  message: Uint8Array,
  signature: Uint8Array,
  key: PublicKey,
): boolean => isSignatureValid(framed(namespace, message), signature, key);
