import type { PublicKey } from "../keys/key.js";
import { parseTrust, type Trust, type TrustEntry } from "../trust/trust.js";

export const controllerTrustEntry = (
  key: PublicKey,
  changes: Partial<TrustEntry> = {},
): TrustEntry => ({
  keyId: key.keyId,
  spki: key.spki,
  roles: ["controller", "port"],
  classes: ["HOST_OBSERVED", "BROKER_OBSERVED", "GUEST_ASSERTED", "HUMAN_APPROVED"],
  namespaces: ["log", "journal", "verdict", "delegation"],
  notBefore: "2026-01-01T00:00:00.000Z",
  notAfter: "2027-12-31T00:00:00.000Z",
  revoked: null,
  ...changes,
});

export const trustOf = (...entries: readonly TrustEntry[]): Trust =>
  parseTrust(Buffer.from(JSON.stringify({ schema: "drydock.trust/v1", keys: entries })));
