import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { judgeReadbackReceipt } from "@drydock/boundary";
import { digestOf, signingKeyFromSeed, signingKeyToPem } from "@drydock/evidence";
import { temporaryDirectory } from "@drydock/testkit";
import { openReceiptFile, orWithdraw } from "./receipt-file.js";

const KEY = signingKeyFromSeed(Buffer.alloc(32, 3));
const POLICY = digestOf(Buffer.from("policy"));
const BOOT = "0b5c6b52-7a53-4a2a-9d5b-3a3f6d2f2a10";
const SEEN = "2026-11-30T08:00:00.000Z";

const receipt = (ok: boolean) => ({
  policyDigest: POLICY,
  rulesets: [{ authority: "platform", digest: POLICY } as const],
  bootId: BOOT,
  daemonId: "ENGINE",
  observedAt: SEEN,
  ok,
});

test("a receipt is replaced whole, readable by others, and gone when what it says may not hold", async (t) => {
  const directory = temporaryDirectory(t);
  const key = join(directory, "key.pem");
  const file = join(directory, "receipt");
  writeFileSync(key, signingKeyToPem(KEY));
  const kept = openReceiptFile({ receipt: file, receiptKey: key });
  assert.ok(kept !== null);
  const demand = { policyDigest: POLICY, key: KEY.public, freshnessSeconds: 5, bootId: BOOT };
  const judged = () => judgeReadbackReceipt(readFileSync(file), demand, Date.parse(SEEN));
  kept.write(receipt(true));
  assert.equal(judged(), null);
  const first = statSync(file).ino;
  kept.write(receipt(false));
  assert.equal(judged(), "failed");
  assert.notEqual(statSync(file).ino, first, "another file, not another content");
  assert.equal(statSync(file).mode & 0o777, 0o644);
  assert.deepEqual(readdirSync(directory).sort(), ["key.pem", "receipt"]);

  assert.equal(await orWithdraw(kept, async () => 7), 7);
  assert.equal(existsSync(file), true);
  const failed = orWithdraw(kept, async () => assert.fail("an apply that fails"));
  await assert.rejects(failed, /an apply that fails/);
  assert.equal(existsSync(file), false);
  kept.withdraw();
});

test("half of the flags is a mistake, none of them is no receipt", () => {
  assert.equal(openReceiptFile({}), null);
  assert.throws(() => openReceiptFile({ receipt: "r" }), { code: "USAGE" });
  assert.throws(() => openReceiptFile({ receiptKey: "k" }), { code: "USAGE" });
});
