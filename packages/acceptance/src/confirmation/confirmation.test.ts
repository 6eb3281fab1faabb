import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isDrydockError } from "@drydock/evidence";
import { sha256Hex } from "../canonical/index.js";
import {
  conclusionOf,
  confirmationOf,
  digestFor,
  START,
  verifier,
  verifierOfAnother,
} from "../testing/contracts.js";
import { contractAt } from "../testing/walks.js";
import { acceptConfirmation } from "./accept.js";
import type { ConfirmationEvidence } from "./evidence.js";
import { confirmationMessage } from "./message.js";
import { MAX_PROOF_BYTES } from "./read.js";
import type { EvidenceVerifier } from "./verifier.js";

const contract = contractAt("PREPARED");

const code = (
  evidence: ConfirmationEvidence,
  given: EvidenceVerifier | null = verifier,
  at = START,
): string => {
  try {
    acceptConfirmation(contract, evidence, { verifier: given, at });
    return "accepted";
  } catch (error) {
    if (isDrydockError(error)) return error.code;
    throw error;
  }
};

test("an owner's signature over this contract is accepted, and what is kept of it is a digest", () => {
  const evidence = confirmationOf(contract);
  assert.deepEqual(acceptConfirmation(contract, evidence, { verifier, at: START }), {
    digest: sha256Hex(confirmationMessage(evidence)),
    authorityId: "owner",
    nonce: "nonce-of-c1",
  });
});

describe("evidence about something else, though signed, is refused", () => {
  for (const [field, value] of [
    ["contractId", "c2"],
    ["operationId", "op-c2"],
    ["targetIdentityDigest", digestFor("x")],
    ["targetFingerprint", digestFor("x")],
    ["intentDigest", digestFor("x")],
    ["expiresAt", contract.expiresAt + 1],
  ] as const) {
    test(field, () => {
      assert.equal(code(confirmationOf(contract, { [field]: value })), "EVIDENCE_MISMATCH");
      assert.equal(code(confirmationOf(contract, { [field]: contract[field] })), "accepted");
    });
  }
});

test("what was signed can't be changed afterwards", () => {
  const signed = confirmationOf(contract);
  assert.equal(code({ ...signed, nonce: "another" }), "EVIDENCE_UNVERIFIED");
  assert.equal(code({ ...signed, issuedAt: signed.issuedAt + 1 }), "EVIDENCE_UNVERIFIED");
  assert.equal(code({ ...signed, algorithm: "none" }), "EVIDENCE_UNVERIFIED");
  assert.equal(code({ ...signed, authorityId: "another" }), "EVIDENCE_UNVERIFIED");
  assert.equal(code(signed), "accepted");
});

test("no verifier, one that refuses, one that throws and one that says something like yes accept nothing", () => {
  const evidence = confirmationOf(contract);
  const throws: EvidenceVerifier = () => {
    throw new Error("hunter2");
  };
  const truthy = (() => "yes") as unknown as EvidenceVerifier;
  const promised = (() => Promise.resolve(true)) as unknown as EvidenceVerifier;
  for (const given of [null, () => false, throws, truthy, promised, verifierOfAnother]) {
    assert.equal(code(evidence, given), "EVIDENCE_UNVERIFIED");
  }
  assert.equal(
    code(evidence, () => true),
    "accepted",
  );
});

test("what a verifier threw isn't passed on", () => {
  try {
    acceptConfirmation(contract, confirmationOf(contract), {
      verifier: () => {
        throw new Error("hunter2");
      },
      at: START,
    });
    assert.fail();
  } catch (error) {
    assert.ok(isDrydockError(error));
    assert.equal(error.cause, undefined);
    assert.doesNotMatch(`${error.message} ${error.stack} ${error.fix}`, /hunter2/);
  }
});

test("a conclusion's signature doesn't confirm, nor the reverse", () => {
  const { proof } = conclusionOf(contract, "confirmed_not_applied");
  assert.equal(code({ ...confirmationOf(contract), proof }), "EVIDENCE_UNVERIFIED");
});

test("it is signed between half a minute before the contract and half a minute from now", () => {
  for (const [issuedAt, wanted] of [
    [START - 30_001, "EVIDENCE_TIME"],
    [START - 30_000, "accepted"],
    [START + 30_000, "accepted"],
    [START + 30_001, "EVIDENCE_TIME"],
  ] as const) {
    assert.equal(code(confirmationOf(contract, { issuedAt })), wanted, String(issuedAt));
  }
});

test("a proof has a byte and at most 64 KiB", () => {
  const evidence = confirmationOf(contract);
  const withProof = (length: number): string =>
    code({ ...evidence, proof: Buffer.alloc(length) }, () => true);
  assert.equal(withProof(0), "EVIDENCE_INVALID");
  assert.equal(withProof(1), "accepted");
  assert.equal(withProof(MAX_PROOF_BYTES), "accepted");
  assert.equal(withProof(MAX_PROOF_BYTES + 1), "EVIDENCE_INVALID");
  assert.equal(
    code({ ...evidence, proof: "x" as unknown as Uint8Array }, () => true),
    "EVIDENCE_INVALID",
  );
});

test("evidence has exactly its fields, each of its form", () => {
  const evidence = confirmationOf(contract);
  const bad: readonly object[] = [
    { ...evidence, approvedBy: "me" },
    { ...evidence, nonce: "" },
    { ...evidence, nonce: "-x" },
    { ...evidence, nonce: "x".repeat(129) },
    { ...evidence, issuedAt: 1.5 },
    { ...evidence, intentDigest: evidence.intentDigest.toUpperCase() },
  ];
  for (const wrong of bad) {
    assert.equal(
      code(wrong as ConfirmationEvidence, () => true),
      "EVIDENCE_INVALID",
    );
  }
  assert.equal(
    code({ ...evidence, nonce: "x".repeat(128) }, () => true),
    "accepted",
  );
});
