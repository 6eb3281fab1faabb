import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isDrydockError, type JsonValue } from "@drydock/evidence";
import { idempotencyKey } from "../canonical/index.js";
import { AFTER, digestFor } from "../testing/contracts.js";
import { contractAt, PLACES, type Place } from "../testing/walks.js";
import type { RecoveryContract } from "./model.js";
import { parseContract } from "./parse.js";

const isContract = (value: unknown): boolean => {
  try {
    parseContract(value as JsonValue);
    return true;
  } catch (error) {
    if (isDrydockError(error) && error.code === "CONTRACT_INVALID") return false;
    throw error;
  }
};

/** With its key made anew, so that nothing but the field itself is wrong. */
const having = (fields: Partial<RecoveryContract>, place: Place = "VERIFIED"): RecoveryContract => {
  const contract = { ...contractAt(place), ...fields };
  return { ...contract, idempotencyKey: idempotencyKey(contract) };
};

test("wherever steps lead is a contract", () => {
  for (const place of Object.keys(PLACES) as Place[])
    assert.ok(isContract(contractAt(place)), place);
});

describe("each field on both sides of its edge", () => {
  const long = (length: number): string => "a".repeat(length);
  for (const [name, good, bad] of [
    ["identifier", { contractId: "A_.:-9" }, { contractId: "_A" }],
    ["identifier's length", { operationId: long(128) }, { operationId: long(129) }],
    ["identifier's presence", { operationId: "a" }, { operationId: "" }],
    ["capability", { capability: "A_WRITE" }, { capability: "A_READ" }],
    ["digest's case", { snapshotDigest: "ab".repeat(32) }, { snapshotDigest: "AB".repeat(32) }],
    ["digest's length", { snapshotDigest: "a".repeat(64) }, { snapshotDigest: "a".repeat(63) }],
    ["locator", { lifecycleLocator: 2 ** 31 - 1 }, { lifecycleLocator: 2 ** 31 }],
    ["locator's sign", { lifecycleLocator: 0 }, { lifecycleLocator: -1 }],
    ["version", { stateVersion: 1 }, { stateVersion: 0 }],
    ["provenance", { authorizationProvenance: "key:1" }, { authorizationProvenance: "" }],
  ] as const) {
    test(name, () => {
      assert.ok(isContract(having(good)));
      assert.ok(!isContract(having(bad)));
    });
  }

  test("method", () => {
    for (const httpMethod of ["POST", "PUT", "PATCH", "DELETE"] as const) {
      assert.ok(isContract(having({ httpMethod })));
    }
    assert.ok(!isContract(having({ httpMethod: "GET" as "PUT" })));
  });

  test("a field too many, and one too few", () => {
    assert.ok(!isContract({ ...contractAt("VERIFIED"), note: "x" }));
    const { confirmation: _, ...rest } = contractAt("VERIFIED");
    assert.ok(!isContract(rest));
  });
});

test("a key that isn't of this change is refused", () => {
  const contract = contractAt("PREPARED");
  assert.ok(!isContract({ ...contract, idempotencyKey: digestFor("x") }));
  assert.ok(!isContract({ ...contract, intentDigest: digestFor("x") }));
  assert.ok(isContract({ ...contract, contractId: "another" }));
});

test("it expires after it was created, and was confirmed before it expired", () => {
  const { createdAt, expiresAt } = contractAt("CONFIRMED");
  assert.ok(isContract(having({ expiresAt: createdAt + 1 }, "PREPARED")));
  assert.ok(!isContract(having({ expiresAt: createdAt }, "PREPARED")));
  const confirmedAt = (at: number) =>
    isContract(having({ confirmation: { digest: digestFor("x"), at } }));
  assert.ok(confirmedAt(expiresAt - 1));
  assert.ok(!confirmedAt(expiresAt));
});

describe("what each state must have and mustn't", () => {
  const confirmation = { digest: digestFor("x"), at: contractAt("PREPARED").createdAt };
  for (const place of Object.keys(PLACES) as Place[]) {
    test(place, () => {
      const contract = contractAt(place);
      const mayLackConfirmation = ["PREPARING", "PREPARED", "FAILED", "EXPIRED"].includes(
        contract.state,
      );
      assert.equal(isContract({ ...contract, confirmation: null }), mayLackConfirmation);
      assert.equal(isContract({ ...contract, confirmation }), contract.state !== "PREPARING");

      const sealed = contract.verifiedTargetFingerprint !== null;
      assert.equal(isContract({ ...contract, verifiedTargetFingerprint: AFTER }), sealed);
      assert.equal(isContract({ ...contract, verifiedTargetFingerprint: null }), !sealed);
      const before = { verifiedTargetFingerprint: contract.targetFingerprint };
      assert.ok(!isContract({ ...contract, ...before }));

      for (const from of ["EXECUTING", "ROLLING_BACK", null] as const) {
        assert.equal(
          isContract({ ...contract, enteredReconciliationFrom: from }),
          from === contract.enteredReconciliationFrom,
        );
      }
    });
  }
});

test("a message names the field and not what stands in it", () => {
  try {
    parseContract({ ...contractAt("VERIFIED"), intentDigest: "hunter2" });
    assert.fail();
  } catch (error) {
    assert.ok(isDrydockError(error));
    assert.match(error.message, /contract\.intentDigest/);
    assert.doesNotMatch(error.message, /hunter2/);
  }
});
