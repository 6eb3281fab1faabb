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
import type { ApplianceIdentity, IdentityOptions } from "./ca.js";
import { nameConstraints } from "./name-constraints.js";

const EC = { name: "ECDSA", namedCurve: "P-256" } as const;
const SIGNATURE = { name: "ECDSA", hash: "SHA-256" } as const;
const NAME_CONSTRAINTS = "2.5.29.30";
const ISSUER = "CN=Drydock stand-in appliance";

/** Clocks of two machines differ a little. */
const MARGIN_MS = 3_600_000;

/** Loaded only when an appliance starts: the library takes a good part of a second. */
export const issueIdentity = async ({
  name,
  address,
  now,
  lifetimeMs,
  random,
}: IdentityOptions): Promise<ApplianceIdentity> => {
  const validity = {
    notBefore: new Date(now.getTime() - MARGIN_MS),
    notAfter: new Date(now.getTime() + lifetimeMs + MARGIN_MS),
  };
  // RFC 5280 §4.1.2.2: positive and at most 20 octets.
  const serial = () => `4d${Buffer.from(random(15)).toString("hex")}`;
  const authority = await webcrypto.subtle.generateKey(EC, false, ["sign", "verify"]);
  const root = await X509CertificateGenerator.createSelfSigned({
    name: ISSUER,
    keys: authority,
    serialNumber: serial(),
    signingAlgorithm: SIGNATURE,
    ...validity,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new Extension(NAME_CONSTRAINTS, true, nameConstraints(name, address)),
      await SubjectKeyIdentifierExtension.create(authority.publicKey),
    ],
  });
  const keys = await webcrypto.subtle.generateKey(EC, true, ["sign", "verify"]);
  const leaf = await X509CertificateGenerator.create({
    // RFC 5280 §4.1.2.6: an empty subject, and the names in a critical subjectAltName.
    subject: "",
    issuer: ISSUER,
    publicKey: keys.publicKey,
    signingKey: authority.privateKey,
    serialNumber: serial(),
    signingAlgorithm: SIGNATURE,
    ...validity,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension(
        [
          { type: "dns", value: name },
          { type: "ip", value: address },
        ],
        true,
      ),
      await AuthorityKeyIdentifierExtension.create(authority.publicKey),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  const pkcs8 = await webcrypto.subtle.exportKey("pkcs8", keys.privateKey);
  return {
    caCertificatePem: `${root.toString("pem")}\n`,
    certificatePem: `${leaf.toString("pem")}\n`,
    keyPem: pem("PRIVATE KEY", new Uint8Array(pkcs8)),
  };
};

const pem = (label: string, der: Uint8Array): string =>
  `-----BEGIN ${label}-----\n${Buffer.from(der).toString("base64").replace(/.{64}/g, "$&\n").trimEnd()}\n-----END ${label}-----\n`;
