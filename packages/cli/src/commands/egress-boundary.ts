import { readFileSync } from "node:fs";
import {
  MAX_READBACK_RECEIPT_BYTES,
  requireReleasedPolicy,
  verifyRelease,
} from "@drydock/boundary";
import {
  type LoadedPolicy,
  type Reason,
  type RequireReleased,
  readPublicKey,
} from "@drydock/broker";
import { isDrydockError, readNamedFile } from "@drydock/evidence";
import { createReadbackGate } from "./readback-gate.js";
import { usage } from "./usage.js";

/** A release's manifest; its signature and the key that has to have made it. */
export interface ReleaseFlags {
  readonly release: string;
  readonly signature?: string;
  readonly key?: string;
  readonly trust?: string;
}

/** @throws DrydockError USAGE, FILE_UNREADABLE, KEY_…, RELEASE_… */
export const releasedBy = ({ release, signature, key, trust }: ReleaseFlags): RequireReleased => {
  if (signature === undefined || key === undefined || trust !== undefined)
    throw usage("a release alone proves nothing", "Give --release with --signature and --key.");
  const manifest = verifyRelease(
    readNamedFile(release),
    readNamedFile(signature),
    readPublicKey(readNamedFile(key)),
  );
  return (digest) => requireReleasedPolicy({ digest }, manifest);
};

/** Where the boundary's receipt is, and whose it has to be. */
export interface ReadbackFlags {
  readonly requireReadback?: string;
  readonly readbackKey?: string;
}

const BOOT_ID = "/proc/sys/kernel/random/boot_id";

/**
 * What a broker asks before it lets anything out: whether the boundary of this very policy was read
 * back lately.
 *
 * @throws DrydockError USAGE, FILE_UNREADABLE, KEY_…
 */
export const readbackGateFor = (
  { requireReadback: file, readbackKey }: ReadbackFlags,
  { appliance }: Pick<LoadedPolicy, "appliance">,
): (() => Reason | null) => {
  if (file === undefined || readbackKey === undefined)
    throw usage("a receipt has to be somebody's", "Give --require-readback with --readback-key.");
  if (appliance === null)
    throw usage("a boundary is an appliance's", "Name an appliance's policy, or no receipt.");
  const demand = {
    policyDigest: appliance.digest,
    freshnessSeconds: appliance.freshnessSeconds,
    key: readPublicKey(readNamedFile(readbackKey)),
    bootId: readFileSync(BOOT_ID, "utf8").trim(),
  };
  return createReadbackGate(demand, {
    read: () => bytesOf(file),
    wallMs: Date.now,
    monotonicMs: () => performance.now(),
  });
};

const bytesOf = (file: string): Uint8Array | null => {
  try {
    // A pipe is no receipt, and nothing is waited for.
    return readNamedFile(file, { maxBytes: MAX_READBACK_RECEIPT_BYTES, pipeWithinMs: 0 });
  } catch (error) {
    // None there, not readable or too long: each is a receipt that is missing, which is a refusal.
    if (isDrydockError(error)) return null;
    throw error;
  }
};
