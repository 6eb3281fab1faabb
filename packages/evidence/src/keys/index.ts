export {
  importPublicKey,
  type KeyId,
  type PublicKey,
  type SigningKey,
  signingKeyFromPem,
  signingKeyFromSeed,
  signingKeyToPem,
} from "./key.js";
export { NAMESPACES, type Namespace, signBytes, signIn, verifyIn } from "./sign.js";
export { isSmallOrder } from "./small-order.js";
export { isSignatureValid } from "./verify-signature.js";
