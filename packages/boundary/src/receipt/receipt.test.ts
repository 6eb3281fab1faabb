import assert from "node:assert/strict";
import { test } from "node:test";
import { canonicalBytes, digestOf, signIn, signingKeyFromSeed } from "@drydock/evidence";
import { judgeReadbackReceipt, type ReadbackDemand } from "./judge.js";
import { type ReadbackReceipt, signReadbackReceipt } from "./receipt.js";

const KEY = signingKeyFromSeed(Buffer.alloc(32, 5));
const OTHER = signingKeyFromSeed(Buffer.alloc(32, 6));
const POLICY = digestOf(Buffer.from("policy"));
const BOOT = "0b5c6b52-7a53-4a2a-9d5b-3a3f6d2f2a10";
const SEEN = "2026-11-30T08:00:00.000Z";
const NOW = Date.parse(SEEN);

const RECEIPT: ReadbackReceipt = {
  policyDigest: POLICY,
  rulesets: [
    { authority: "scenario", digest: digestOf(Buffer.from("scenario")) },
    { authority: "platform", digest: digestOf(Buffer.from("platform")) },
  ],
  bootId: BOOT,
  daemonId: "ENGINE",
  observedAt: SEEN,
  ok: true,
};

const DEMAND: ReadbackDemand = {
  policyDigest: POLICY,
  key: KEY.public,
  freshnessSeconds: 5,
  bootId: BOOT,
};

const judge = (change: Partial<ReadbackReceipt>, now = NOW, key = KEY) =>
  judgeReadbackReceipt(signReadbackReceipt({ ...RECEIPT, ...change }, key), DEMAND, now);

test("a receipt of now, for this policy and by this key lets out", () => {
  assert.equal(judge({}), null);
  assert.equal(judge({}, NOW + 5_000), null);
});

test("one that differs in one thing doesn't", () => {
  assert.equal(judgeReadbackReceipt(null, DEMAND, NOW), "missing");
  assert.equal(judge({}, NOW, OTHER), "unsigned");
  assert.equal(judge({ policyDigest: digestOf(Buffer.from("other")) }), "different");
  assert.equal(judge({ ok: false }), "failed");
  assert.equal(judge({}, NOW + 5_001), "stale");
  assert.equal(judge({}, NOW - 1), "stale", "from the future");
  assert.equal(judge({ observedAt: "2026-13-30T08:00:00.000Z" }), "stale", "no date");
  assert.equal(judge({ bootId: BOOT.replace("0b", "1b") }), "stale", "another boot");
});

test("every byte of it is signed, or isn't read", () => {
  const bytes = signReadbackReceipt(RECEIPT, KEY);
  assert.equal(judgeReadbackReceipt(bytes, DEMAND, NOW), null);
  for (let at = 0; at < bytes.length; at += 1) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    assert.equal(judgeReadbackReceipt(changed, DEMAND, NOW), "unsigned", `byte ${at}`);
  }
  assert.equal(judgeReadbackReceipt(bytes.subarray(1), DEMAND, NOW), "unsigned");
  const padded = Buffer.concat([bytes, Buffer.from("\n")]);
  assert.equal(judgeReadbackReceipt(padded, DEMAND, NOW), "unsigned", "another spelling");
  assert.equal(judgeReadbackReceipt(Buffer.alloc(0), DEMAND, NOW), "unsigned");
});

test("the same key's signature over the same words for something else isn't one of a receipt", () => {
  const json = JSON.parse(signReadbackReceipt(RECEIPT, KEY).toString("utf8"));
  const signedAs = (namespace: "observation" | "approval", message: object) =>
    canonicalBytes({
      ...json,
      signature: signIn(namespace, canonicalBytes({ ...message }), KEY).toString("base64"),
    });
  const { schema, receipt } = json;
  assert.equal(
    judgeReadbackReceipt(signedAs("observation", { schema, receipt }), DEMAND, NOW),
    null,
  );
  assert.equal(
    judgeReadbackReceipt(signedAs("approval", { schema, receipt }), DEMAND, NOW),
    "unsigned",
  );
  assert.equal(judgeReadbackReceipt(signedAs("observation", receipt), DEMAND, NOW), "unsigned");
});
