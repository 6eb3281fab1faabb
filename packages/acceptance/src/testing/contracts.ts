import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { signIn, signingKeyFromSeed } from "@drydock/evidence";
import { idempotencyKey } from "../canonical/index.js";
import {
  type ConfirmationEvidence,
  confirmationMessage,
  ED25519,
  type EvidenceVerifier,
  ed25519Verifier,
} from "../confirmation/index.js";
import type { ContractTerms, ReconciliationOutcome, RecoveryContract } from "../contract/index.js";
import { type ReconciliationEvidence, reconciliationMessage } from "../reconciliation/index.js";

export const START = 1_800_000_000_000;
export const LIFETIME = 300_000;

/** A digest that stands for some text. */
export const digestFor = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Terms as an executor would make them; the artifacts' text is only shaped like ciphertext. */
export const termsFor = (
  name: string,
  {
    at = START,
    target = "target",
    ...fields
  }: Partial<ContractTerms> & {
    readonly at?: number;
    readonly target?: string;
  } = {},
): ContractTerms => {
  const terms: Omit<ContractTerms, "idempotencyKey"> = {
    contractId: name,
    operationId: `op-${name}`,
    capability: "FIREWALL_ALIAS_DESCRIPTION_WRITE",
    endpointSymbol: "FIREWALL_ALIAS",
    httpMethod: "PATCH",
    targetIdentityDigest: digestFor(target),
    targetFingerprint: digestFor(`${target} before`),
    lifecycleLocator: 7,
    intentDigest: digestFor(`intent of ${name}`),
    snapshotDigest: digestFor(`${target} snapshot`),
    rollbackPlanVersion: "set_firewall_alias_description_v1",
    createdAt: at,
    expiresAt: at + LIFETIME,
    artifacts: {
      salt: digestFor(`salt of ${name}`),
      identity: Buffer.from(`identity of ${name}`).toString("base64"),
      intent: Buffer.from(`intent of ${name}`).toString("base64"),
      snapshot: Buffer.from(`snapshot of ${name}`).toString("base64"),
    },
    authorizationProvenance: null,
    ...fields,
  };
  return { ...terms, idempotencyKey: idempotencyKey(terms) };
};

export const AFTER = digestFor("target after");

const OWNER = signingKeyFromSeed(Buffer.alloc(32, 1));
const OTHER = signingKeyFromSeed(Buffer.alloc(32, 2));
export const OWNER_ID = "owner";

export const verifier: EvidenceVerifier = ed25519Verifier(new Map([[OWNER_ID, OWNER.public]]));
export const verifierOfAnother: EvidenceVerifier = ed25519Verifier(
  new Map([[OWNER_ID, OTHER.public]]),
);

export const confirmationOf = (
  contract: RecoveryContract,
  fields: Partial<ConfirmationEvidence> = {},
): ConfirmationEvidence => {
  const evidence = {
    authorityId: OWNER_ID,
    algorithm: ED25519,
    nonce: `nonce-of-${contract.contractId}`,
    contractId: contract.contractId,
    operationId: contract.operationId,
    targetIdentityDigest: contract.targetIdentityDigest,
    targetFingerprint: contract.targetFingerprint,
    intentDigest: contract.intentDigest,
    issuedAt: contract.createdAt,
    expiresAt: contract.expiresAt,
    ...fields,
  };
  return { proof: signIn("approval", confirmationMessage(evidence), OWNER), ...evidence };
};

/** What an owner who looked would sign. */
export const conclusionOf = (
  contract: RecoveryContract,
  outcome: ReconciliationOutcome,
  fields: Partial<ReconciliationEvidence> = {},
): ReconciliationEvidence => {
  const evidence = {
    authorityId: OWNER_ID,
    algorithm: ED25519,
    nonce: `nonce-${contract.contractId}-${contract.stateVersion}`,
    contractId: contract.contractId,
    operationId: contract.operationId,
    stateVersion: contract.stateVersion,
    outcome,
    fingerprint: outcome === "confirmed_applied" ? AFTER : null,
    locator:
      outcome === "confirmed_applied" || outcome === "confirmed_rollback_applied"
        ? contract.lifecycleLocator
        : null,
    issuedAt: contract.createdAt,
    ...fields,
  };
  return { proof: signIn("approval", reconciliationMessage(evidence), OWNER), ...evidence };
};

export const CAUSE = { failureClass: "SEND_AMBIGUOUS", exceptionClass: null };

/**
 * A directory such as a store wants; in memory where there is such a place, since every write of a
 * store waits for the disk, and no test here cuts the power.
 */
export const ownDirectory = (test: { after(fn: () => void): void }): string => {
  const parent = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
  const directory = mkdtempSync(join(parent, "drydock-test-"));
  test.after(() => rmSync(directory, { recursive: true, force: true }));
  chmodSync(directory, 0o700);
  return directory;
};

/** A clock that moves when it is told to. */
export const handClock = (start = START) => {
  let time = start;
  return {
    read: () => time,
    move: (millis: number) => {
      time += millis;
    },
  };
};
