import assert from "node:assert/strict";
import { test } from "node:test";
import { isDrydockError } from "@drydock/evidence";
import type { EvidenceVerifier } from "../confirmation/index.js";
import type { RecoveryContract } from "../contract/index.js";
import {
  conclusionOf,
  confirmationOf,
  digestFor,
  START,
  verifier,
  verifierOfAnother,
} from "../testing/contracts.js";
import { contractAt } from "../testing/walks.js";
import { acceptReconciliation } from "./accept.js";
import type { ReconciliationEvidence } from "./evidence.js";

const contract = contractAt("LOST");

const code = (
  evidence: ReconciliationEvidence,
  given: EvidenceVerifier | null = verifier,
  about: RecoveryContract = contract,
): string => {
  try {
    acceptReconciliation(about, evidence, { verifier: given, at: START });
    return "accepted";
  } catch (error) {
    if (isDrydockError(error)) return error.code;
    throw error;
  }
};

const applied = (fields: Partial<ReconciliationEvidence> = {}): ReconciliationEvidence =>
  conclusionOf(contract, "confirmed_applied", fields);

test("a signed conclusion about this version of this contract is accepted", () => {
  assert.equal(code(applied()), "accepted");
  assert.equal(code(applied({ contractId: "c2" })), "EVIDENCE_MISMATCH");
  assert.equal(code(applied({ operationId: "op-c2" })), "EVIDENCE_MISMATCH");
});

test("a conclusion about the version before is none about this one", () => {
  assert.equal(code(applied({ stateVersion: contract.stateVersion - 1 })), "EVIDENCE_MISMATCH");
  assert.equal(code(applied({ stateVersion: contract.stateVersion })), "accepted");
});

test("outcome, fingerprint and locator are under the signature", () => {
  const signed = applied();
  assert.equal(code({ ...signed, fingerprint: digestFor("x") }), "EVIDENCE_UNVERIFIED");
  assert.equal(code({ ...signed, locator: 8 }), "EVIDENCE_UNVERIFIED");
  const flipped = { ...signed, outcome: "confirmed_not_applied" as const };
  assert.equal(code(flipped), "EVIDENCE_UNVERIFIED");
  assert.equal(code(signed), "accepted");
});

test("what it says is what was signed, and not what somebody made of it meanwhile", () => {
  const signed = applied();
  const fickle = {
    ...signed,
    get locator() {
      // Whoever asks again hears something else.
      Object.defineProperty(fickle, "locator", { value: 8 });
      return signed.locator;
    },
  };
  const { outcome, fingerprint, locator } = acceptReconciliation(contract, fickle, {
    verifier,
    at: START,
  });
  assert.deepEqual(
    { outcome, fingerprint, locator },
    { outcome: "confirmed_applied", fingerprint: signed.fingerprint, locator: signed.locator },
  );
});

test("no verifier, another's key and a confirmation's proof resolve nothing", () => {
  assert.equal(code(applied(), null), "EVIDENCE_UNVERIFIED");
  assert.equal(code(applied(), verifierOfAnother), "EVIDENCE_UNVERIFIED");
  const { proof } = confirmationOf(contract);
  assert.equal(code({ ...applied(), proof }), "EVIDENCE_UNVERIFIED");
});

test("there is no outcome that says unknown, and no field beside the known ones", () => {
  const bad: readonly object[] = [
    { ...applied(), outcome: "unknown" },
    { ...applied(), force: true },
    { ...applied(), locator: -1 },
    { ...applied(), locator: 2 ** 31 },
  ];
  for (const wrong of bad) {
    assert.equal(
      code(wrong as ReconciliationEvidence, () => true),
      "EVIDENCE_INVALID",
    );
  }
  assert.equal(
    code({ ...applied(), locator: 2 ** 31 - 1 }, () => true),
    "accepted",
  );
});
