import { verify } from "node:crypto";
import type { PublicKey } from "./key.js";

/** Ed25519 over exactly `message`. Every signature that Drydock accepts passes here. */
export const isSignatureValid = (
  message: Uint8Array,
  signature: Uint8Array,
  key: PublicKey,
): boolean => signature.length === 64 && verify(null, message, key.object, signature);
