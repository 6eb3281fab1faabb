import { X509Certificate } from "node:crypto";
import {
  checkSecretsGranted,
  DEFAULT_SECRET_HEADERS,
  formatAuthority,
  type LoadedPolicy,
  parseSecretFlags,
  readSecretFile,
  readSecretValue,
  terminatedHosts,
  trustEnvironment,
} from "@drydock/broker";
import { DrydockError, digestOf, isDrydockError, quote, readNamedFile } from "@drydock/evidence";
import { type LaunchEgress, TRUST_FILE } from "@drydock/trial";

/** What a run with secrets seals of them, what its broker alone gets, and how its guest trusts it. */
export type SealedSecrets = Pick<LaunchEgress, "supplies" | "trust"> & {
  readonly sealed: Pick<LaunchEgress["sealed"], "secrets" | "upstreamRoots">;
};

/**
 * Reads the secrets' files.
 *
 * @param loaded null when nothing may be reached
 * @param roots file of certificates to verify upstreams by, besides the usual ones
 * @throws DrydockError SECRET_FLAG, SECRET_NAME, SECRET_AUTHORITY, SECRET_NOT_GRANTED, SECRET_FILE,
 *   SECRET_VALUE, ROOTS_FILE, or USAGE for roots that nothing would use
 */
export const sealSecrets = (
  loaded: LoadedPolicy | null,
  texts: readonly string[],
  roots: string | null,
): SealedSecrets => {
  const flags = parseSecretFlags(texts);
  const grants = loaded?.policy.grants ?? [];
  checkSecretsGranted(flags, grants);
  if (flags.length > 0 && loaded?.admitsSecrets === false)
    throw new DrydockError("SECRET_NOT_GRANTED", "an appliance's policy admits no secrets", {
      fix: "Leave out --secret, or write a drydock.egress/v1 policy.",
    });
  const hosts = terminatedHosts(grants, (authority) => ({
    here: flags.filter((flag) => formatAuthority(flag.authority) === formatAuthority(authority)),
  }));
  if (roots !== null && hosts.length === 0)
    throw new DrydockError("USAGE", "--upstream-roots, and TLS ends at no broker", {
      fix: "They are for authorities with a secret, or with `terminate` in the policy.",
    });
  const pem = roots === null ? null : readRoots(roots);
  return {
    sealed: {
      secrets: flags
        .map(({ name, authority }) => ({
          name,
          authority: formatAuthority(authority),
          headers: [...DEFAULT_SECRET_HEADERS],
        }))
        .sort((left, right) => (left.name < right.name ? -1 : 1)),
      upstreamRoots: pem === null ? null : digestOf(Buffer.from(pem, "utf8")),
    },
    supplies: {
      secrets: flags.map(({ name, file }) => ({
        name,
        value: readSecretValue(name, readSecretFile(file, owners())),
      })),
      upstreamRoots: pem,
    },
    trust: hosts.length === 0 ? {} : trustEnvironment(TRUST_FILE),
  };
};

/** Whoever runs this, and whoever became root for it with sudo. */
const owners = (): readonly number[] => {
  const { SUDO_UID } = process.env;
  const invoking = /^[0-9]{1,10}$/.test(SUDO_UID ?? "") ? [Number(SUDO_UID)] : [];
  return [process.getuid?.() ?? 0, ...invoking];
};

/** As much as the line to the broker takes: Debian's whole bundle is 220 KB. */
const MAX_ROOTS_BYTES = 256 * 1024;
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

const readRoots = (file: string): string => {
  const text = readBounded(file);
  const certificates = text.match(CERTIFICATE) ?? [];
  if (certificates.length === 0) throw rootsFile(file, "holds no certificate");
  for (const certificate of certificates) {
    try {
      new X509Certificate(certificate);
    } catch (cause) {
      throw rootsFile(file, "holds a certificate that can't be read", cause);
    }
  }
  return text;
};

const readBounded = (file: string): string => {
  try {
    return readNamedFile(file, { maxBytes: MAX_ROOTS_BYTES }).toString("utf8");
  } catch (cause) {
    if (!isDrydockError(cause)) throw cause;
    throw rootsFile(file, `can't be used: ${cause.message}`, cause);
  }
};

const rootsFile = (file: string, what: string, cause?: unknown): DrydockError =>
  new DrydockError("ROOTS_FILE", `${quote(file)} ${what}`, {
    fix: "Name a PEM file of the roots that sign your upstreams.",
    ...(cause === undefined ? {} : { cause }),
  });
