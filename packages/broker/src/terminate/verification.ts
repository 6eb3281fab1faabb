import { type ConnectionOptions, checkServerIdentity, rootCertificates } from "node:tls";
import { DrydockError } from "@drydock/evidence";

/**
 * How an upstream has to prove its name: by a chain to a known root and a subjectAltName. Guard.
 * Node's own check would also accept a common name, which RFC 9525 §2 rules out.
 *
 * @param roots PEM certificates that are trusted besides Node's.
 */
export const upstreamVerification = (
  roots: readonly string[],
): Pick<ConnectionOptions, "rejectUnauthorized" | "checkServerIdentity" | "ca"> => ({
  rejectUnauthorized: true,
  checkServerIdentity: (host, certificate) =>
    certificate.subjectaltname === undefined
      ? new DrydockError("UPSTREAM_CERTIFICATE", "a certificate without subjectAltName")
      : checkServerIdentity(host, certificate),
  ...(roots.length === 0 ? {} : { ca: [...rootCertificates, ...roots] }),
});
