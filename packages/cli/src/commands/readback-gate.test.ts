import assert from "node:assert/strict";
import { test } from "node:test";
import { signReadbackReceipt } from "@drydock/boundary";
import { digestOf, signingKeyFromSeed } from "@drydock/evidence";
import { createReadbackGate, READBACK_REREAD_MS } from "./readback-gate.js";

const KEY = signingKeyFromSeed(Buffer.alloc(32, 4));
const NOW = Date.parse("2026-11-30T08:00:00.000Z");
const DEMAND = {
  policyDigest: digestOf(Buffer.from("policy")),
  key: KEY.public,
  freshnessSeconds: 5,
  bootId: "0b5c6b52-7a53-4a2a-9d5b-3a3f6d2f2a10",
};
const receipt = (ok: boolean): Buffer =>
  signReadbackReceipt(
    {
      policyDigest: DEMAND.policyDigest,
      rulesets: [{ authority: "platform", digest: DEMAND.policyDigest }],
      bootId: DEMAND.bootId,
      daemonId: "ENGINE",
      observedAt: new Date(NOW).toISOString(),
      ok,
    },
    KEY,
  );

test("a file is read so often and no more, and judged by the time of each question", () => {
  let [bytes, wall, monotonic, reads] = [receipt(true), NOW, 10, 0];
  const gate = createReadbackGate(DEMAND, {
    read: () => {
      reads += 1;
      return bytes;
    },
    wallMs: () => wall,
    monotonicMs: () => monotonic,
  });
  assert.equal(gate(), null);
  bytes = receipt(false);
  monotonic += READBACK_REREAD_MS - 1;
  assert.deepEqual([gate(), reads], [null, 1]);
  // What was kept grows old all the same, and setting the clock back makes nothing young.
  wall = NOW + 5_001;
  assert.deepEqual([gate(), reads], ["READBACK_STALE", 1]);
  wall = NOW - 1;
  assert.deepEqual([gate(), reads], ["READBACK_STALE", 1]);
  wall = NOW;
  monotonic += 1;
  assert.deepEqual([gate(), reads], ["READBACK_FAILED", 2]);
});
