import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import {
  historyHeadDigest,
  idempotencyKey,
  intentDigest,
  type Scope,
  snapshotDigest,
  targetFingerprint,
  targetIdentityDigest,
} from "./digests.js";
import { framed } from "./frame.js";
import { type Purpose, purposeBytes, purposeDigest } from "./purpose.js";

const SCOPE: Scope = {
  capability: "FIREWALL_ALIAS_DESCRIPTION_WRITE",
  endpointSymbol: "FIREWALL_ALIAS",
  httpMethod: "PATCH",
};

/** The specification, written out by hand. */
const byHand = (...parts: readonly string[]): string => {
  const hash = createHash("sha256");
  for (const part of parts) {
    const bytes = Buffer.from(part);
    hash.update(Buffer.from([0, 0, bytes.length >> 8, bytes.length & 0xff])).update(bytes);
  }
  return hash.digest("hex");
};

test("each digest is over the domain, its purpose, its context and the canonical bytes", () => {
  const value = { b: 1, a: "e\u0301" };
  const bytes = '{"a":"\u00e9","b":1}';
  const domain = "pfSense-MCP/Tier1/v1";
  const scope = [SCOPE.capability, SCOPE.endpointSymbol, SCOPE.httpMethod];
  assert.equal(
    targetIdentityDigest(SCOPE.capability, value),
    byHand(domain, "target-identity", SCOPE.capability, bytes),
  );
  assert.equal(
    targetFingerprint(SCOPE, value),
    byHand(domain, "target-fingerprint", ...scope, bytes),
  );
  assert.equal(intentDigest(SCOPE, value), byHand(domain, "intent", ...scope, bytes));
  assert.equal(snapshotDigest(SCOPE, value), byHand(domain, "snapshot", ...scope, bytes));
  assert.equal(historyHeadDigest("/a", value), byHand(domain, "history-head", "/a", bytes));
});

test("one value under two purposes, capabilities, endpoints or methods has as many digests", () => {
  const purposes: readonly Purpose[] = [
    "target-identity",
    "target-fingerprint",
    "intent",
    "snapshot",
    "confirmation",
    "idempotency",
    "reconciliation",
    "history-head",
  ];
  assert.equal(new Set(purposes.map((purpose) => purposeDigest(purpose, ["c"], 1))).size, 8);
  const scopes: readonly Scope[] = [
    SCOPE,
    { ...SCOPE, capability: "OTHER_WRITE" },
    { ...SCOPE, endpointSymbol: "OTHER" },
    { ...SCOPE, httpMethod: "PUT" },
  ];
  assert.equal(new Set(scopes.map((scope) => intentDigest(scope, 1))).size, scopes.length);
});

test("what ends one part can't begin the next", () => {
  assert.notDeepEqual(framed(["ab", "c"]), framed(["a", "bc"]));
  assert.notEqual(purposeDigest("intent", ["ab", "c"], 1), purposeDigest("intent", ["a", "bc"], 1));
  assert.notEqual(purposeDigest("intent", ["a"], 1), purposeDigest("intent", ["a", ""], 1));
  fc.assert(
    fc.property(fc.array(fc.string()), fc.array(fc.string()), (one, other) => {
      assert.equal(
        framed(one).equals(framed(other)),
        JSON.stringify(one) === JSON.stringify(other),
      );
    }),
    { seed: profile.seed, numRuns: profile.fuzz },
  );
});

test("the bytes that are signed are those that are digested", () => {
  const bytes = purposeBytes("confirmation", ["a", "b"], { x: 1 });
  assert.equal(
    createHash("sha256").update(bytes).digest("hex"),
    purposeDigest("confirmation", ["a", "b"], { x: 1 }),
  );
});

test("asking for the same change from the same state collides, whatever it is called", () => {
  const hex = (character: string): string => character.repeat(64);
  const terms = {
    ...SCOPE,
    intentDigest: hex("a"),
    lifecycleLocator: 3,
    rollbackPlanVersion: "v1",
    snapshotDigest: hex("b"),
    targetFingerprint: hex("c"),
    targetIdentityDigest: hex("d"),
  };
  const key = idempotencyKey(terms);
  const named = { ...terms, contractId: "another", operationId: "another", createdAt: 5 };
  assert.equal(idempotencyKey(named), key);
  const others = [
    { ...terms, intentDigest: hex("0") },
    { ...terms, lifecycleLocator: 4 },
    { ...terms, rollbackPlanVersion: "v2" },
    { ...terms, snapshotDigest: hex("0") },
    { ...terms, targetFingerprint: hex("0") },
    { ...terms, targetIdentityDigest: hex("0") },
    { ...terms, capability: "OTHER_WRITE" },
    { ...terms, endpointSymbol: "OTHER" },
    { ...terms, httpMethod: "PUT" as const },
  ];
  const keys = new Set([key, ...others.map(idempotencyKey)]);
  assert.equal(keys.size, others.length + 1);
});
