import { DrydockError } from "@drydock/evidence";
import type { Issuer } from "./x509.js";

/** A certificate for one authority's name, with its key. Both PEM; they live in memory only. */
export interface ServerIdentity {
  readonly certificatePem: string;
  readonly keyPem: string;
}

/** A run's own certification authority. Its key never leaves the process and ends with it. */
export interface RunCa {
  /** Public. For clients within this run, and for nobody else to trust. */
  readonly caCertificatePem: string;
  /** @throws DrydockError CA_NAME for a name that the constraints don't permit. */
  identityFor(host: string): Promise<ServerIdentity>;
}

export interface RunCaOptions {
  /** The opted-in names; at least one. */
  readonly hosts: readonly string[];
  /** IPv4 addresses that each of them is reached by as well; none unless given. */
  readonly addresses?: readonly string[];
  /** What its certificate calls it. */
  readonly issuer: string;
  readonly now: Date;
  /** How long the run may last at most, in milliseconds. */
  readonly lifetimeMs: number;
  /** Gives that many random bytes. */
  readonly random: (length: number) => Uint8Array;
}

/** A guest gets the host's time when it starts, and its clock may be off a little ever after. */
const MARGIN_MS = 3_600_000;

export const createRunCa = async ({
  hosts,
  addresses = [],
  issuer,
  now,
  lifetimeMs,
  random,
}: RunCaOptions): Promise<RunCa> => {
  if (hosts.length === 0) {
    throw new DrydockError("CA_NAME", "a CA without names would be constrained to nothing", {
      fix: "Make one only when a grant terminates TLS.",
    });
  }
  const { issueRoot, issueServer } = await import("./x509.js");
  const validity = {
    notBefore: new Date(now.getTime() - MARGIN_MS),
    notAfter: new Date(now.getTime() + lifetimeMs + MARGIN_MS),
  };
  const serial = () => serialNumber(random);
  const names = [...new Set(hosts)];
  const root: Issuer = await issueRoot(issuer, names, validity, serial(), addresses);
  const identities = new Map<string, Promise<ServerIdentity>>();

  return {
    caCertificatePem: root.certificatePem,
    async identityFor(host) {
      if (!names.includes(host)) {
        throw new DrydockError("CA_NAME", "the run's CA isn't for this name");
      }
      const known = identities.get(host) ?? issueServer(root, host, validity, serial(), addresses);
      identities.set(host, known);
      return known;
    },
  };
};

/** RFC 5280 §4.1.2.2: positive and at most 20 octets; CA/Browser Forum: 64 random bits or more. */
const serialNumber = (random: (length: number) => Uint8Array): string =>
  `4d${Buffer.from(random(15)).toString("hex")}`;
