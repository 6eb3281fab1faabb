import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  canonicalBytes,
  DrydockError,
  parseTrust,
  readNamedFile,
  type SigningKey,
  signingKeyFromPem,
  signingKeyFromSeed,
  signingKeyToPem,
  TRUST_SCHEMA,
  type Trust,
  type TrustEntry,
  type TrustFile,
} from "@drydock/evidence";
import { isThere } from "./is-there.js";
import type { StateLayout } from "./layout.js";
import { writePrivately } from "./write-privately.js";

/** A year: long enough not to be in the way, short enough that rotation is practised. */
const KEY_LIFETIME_MS = 366 * 24 * 60 * 60 * 1000;

/** What the controller's key may do; `delegation` lets it certify the keys of a run's port and broker. */
export const controllerTrust = (key: SigningKey, now: Date): TrustEntry => ({
  keyId: key.public.keyId,
  spki: key.public.spki,
  roles: ["controller", "port", "egress"],
  classes: ["HOST_OBSERVED", "BROKER_OBSERVED", "GUEST_ASSERTED"],
  namespaces: ["log", "journal", "verdict", "delegation", "halt"],
  notBefore: new Date(now.getTime() - 60_000).toISOString(),
  notAfter: new Date(now.getTime() + KEY_LIFETIME_MS).toISOString(),
  revoked: null,
});

const readTrustFile = (layout: StateLayout): TrustFile =>
  isThere(layout.trust)
    ? (JSON.parse(readFileSync(layout.trust, "utf8")) as TrustFile)
    : { schema: TRUST_SCHEMA, keys: [] };

const writeTrustFile = (layout: StateLayout, keys: readonly TrustEntry[]): void =>
  writePrivately(layout.trust, canonicalBytes({ schema: TRUST_SCHEMA, keys: [...keys] }));

/** @throws DrydockError KEY_MISSING, KEY_FORMAT */
export const loadControllerKey = (layout: StateLayout): SigningKey => {
  if (!isThere(layout.controllerKey))
    throw new DrydockError("KEY_MISSING", `${layout.controllerKey} does not exist`, {
      fix: "Run `drydock keys init`.",
    });
  return signingKeyFromPem(readFileSync(layout.controllerKey, "utf8"));
};

/** @throws DrydockError TRUST_MISSING, FILE_UNREADABLE, or what `parseTrust` throws */
export const loadTrust = (path: string): Trust => {
  if (!isThere(path))
    throw new DrydockError("TRUST_MISSING", `${path} does not exist`, {
      fix: "Run `drydock keys init`, or name a trust file with --trust.",
    });
  return parseTrust(readNamedFile(path));
};

/**
 * Makes the controller's key and lists it in the trust file.
 *
 * @param seed 32 bytes from a cryptographic source.
 * @throws DrydockError KEY_EXISTS
 */
export const initialiseKeys = (layout: StateLayout, seed: Uint8Array, now: Date): SigningKey => {
  if (isThere(layout.controllerKey))
    throw new DrydockError("KEY_EXISTS", `${layout.controllerKey} exists`, {
      fix: "Use `drydock keys rotate` to replace it.",
    });
  const key = signingKeyFromSeed(seed);
  // First the public half: a key that signs and isn't listed would make unverifiable evidence.
  writeTrustFile(layout, [...readTrustFile(layout).keys, controllerTrust(key, now)]);
  writePrivately(layout.controllerKey, signingKeyToPem(key));
  return key;
};

/** Puts a new key in the old one's place. The old one stays in the trust file for old evidence. */
export const rotateKeys = (layout: StateLayout, seed: Uint8Array, now: Date): SigningKey => {
  const old = loadControllerKey(layout);
  const key = signingKeyFromSeed(seed);
  const keys = readTrustFile(layout).keys.map((entry) =>
    entry.keyId === old.public.keyId ? { ...entry, notAfter: now.toISOString() } : entry,
  );
  writeTrustFile(layout, [...keys, controllerTrust(key, now)]);
  // At each moment there is one of the two: whoever looks for it meanwhile would miss it.
  const retired = join(layout.keys, `retired-${old.public.keyId.slice(7, 23)}.pem`);
  writePrivately(retired, signingKeyToPem(old));
  writePrivately(layout.controllerKey, signingKeyToPem(key));
  return key;
};

/** Marks a key as no longer its owner's alone. @throws DrydockError KEY_UNKNOWN */
export const revokeKey = (layout: StateLayout, keyId: string, now: Date): void => {
  const { keys } = readTrustFile(layout);
  if (!keys.some((entry) => entry.keyId === keyId))
    throw new DrydockError("KEY_UNKNOWN", `the trust file lists no key ${keyId}`, {
      fix: "Run `drydock keys list`.",
    });
  writeTrustFile(
    layout,
    keys.map((entry) =>
      entry.keyId === keyId ? { ...entry, revoked: entry.revoked ?? now.toISOString() } : entry,
    ),
  );
};
