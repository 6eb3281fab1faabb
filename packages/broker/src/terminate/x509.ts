import "./reflect.js";
import { webcrypto } from "node:crypto";
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
} from "@peculiar/x509";
import { nameConstraints } from "./name-constraints.js";

/** Loaded only when a grant terminates TLS: the library takes a good part of a second. */

const EC = { name: "ECDSA", namedCurve: "P-256" } as const;
const SIGNATURE = { name: "ECDSA", hash: "SHA-256" } as const;
const NAME_CONSTRAINTS = "2.5.29.30";

export interface Validity {
  readonly notBefore: Date;
  readonly notAfter: Date;
}

export interface Issuer {
  readonly name: string;
  readonly keys: webcrypto.CryptoKeyPair;
  readonly certificatePem: string;
}

/** A root whose private key can't leave this process: WebCrypto won't export it. */
export const issueRoot = async (
  name: string,
  hosts: readonly string[],
  validity: Validity,
  serialNumber: string,
  addresses: readonly string[] = [],
): Promise<Issuer> => {
  const keys = await webcrypto.subtle.generateKey(EC, false, ["sign", "verify"]);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    keys,
    serialNumber,
    signingAlgorithm: SIGNATURE,
    ...validity,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new Extension(NAME_CONSTRAINTS, true, nameConstraints(hosts, addresses)),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { name, keys, certificatePem: `${certificate.toString("pem")}\n` };
};

/**
 * A server's certificate for one name, and addresses that it is reached by as well, with its key:
 * OpenSSL takes keys as PEM only.
 */
export const issueServer = async (
  issuer: Issuer,
  host: string,
  validity: Validity,
  serialNumber: string,
  addresses: readonly string[] = [],
): Promise<{ readonly certificatePem: string; readonly keyPem: string }> => {
  const keys = await webcrypto.subtle.generateKey(EC, true, ["sign", "verify"]);
  const certificate = await X509CertificateGenerator.create({
    // RFC 5280 §4.1.2.6: an empty subject, and the names in a critical subjectAltName.
    subject: "",
    issuer: `CN=${issuer.name}`,
    publicKey: keys.publicKey,
    signingKey: issuer.keys.privateKey,
    serialNumber,
    signingAlgorithm: SIGNATURE,
    ...validity,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension(
        [
          { type: "dns", value: host },
          ...addresses.map((value) => ({ type: "ip" as const, value })),
        ],
        true,
      ),
      await AuthorityKeyIdentifierExtension.create(issuer.keys.publicKey),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  const pkcs8 = await webcrypto.subtle.exportKey("pkcs8", keys.privateKey);
  return {
    certificatePem: `${certificate.toString("pem")}\n`,
    keyPem: pem("PRIVATE KEY", new Uint8Array(pkcs8)),
  };
};

const pem = (label: string, der: Uint8Array): string =>
  `-----BEGIN ${label}-----\n${Buffer.from(der).toString("base64").replace(/.{64}/g, "$&\n").trimEnd()}\n-----END ${label}-----\n`;
