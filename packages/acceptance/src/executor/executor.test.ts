import assert from "node:assert/strict";
import { test } from "node:test";
import { RATE_LIMITS } from "../rate/index.js";
import { confirmationOf } from "../testing/contracts.js";
import { CONTRACT_TTL_MS } from "./prepare.js";
import { ALIAS, NOTICE, rig } from "./testing/rig.js";

for (const subject of [ALIAS, NOTICE]) {
  test(`${subject.adapter.semanticUnit}: prepared, confirmed, executed, rolled back`, async (t) => {
    const { adapter, appliance, executor, store, intent, place, ...at } = rig(t, subject);
    const before = at.whole();
    const prepared = await executor.prepare(adapter, intent, {
      operationId: "op-1",
      authorizationProvenance: "owner",
    });
    assert.equal(prepared.state, "PREPARED");
    assert.equal(prepared.operationId, "op-1");
    assert.equal(prepared.authorizationProvenance, "owner");
    assert.equal(prepared.expiresAt - prepared.createdAt, CONTRACT_TTL_MS);
    assert.equal(at.whole(), before);
    assert.equal(at.sends(), 0);
    assert.ok(executor.confirm(prepared.contractId, confirmationOf(prepared)).confirmation);

    const forward = await executor.execute(prepared.contractId, adapter, intent);
    const { contract, historyHead, ...outcome } = forward;
    assert.deepEqual(outcome, {
      kind: "verified",
      cause: null,
      sends: 1,
      delivery: "answered",
      responseUnderstood: true,
      automaticRetry: false,
    });
    assert.equal(historyHead !== null, subject === ALIAS);
    assert.equal(contract.state, "VERIFIED");
    assert.ok(contract.verifiedTargetFingerprint);
    assert.notEqual(contract.verifiedTargetFingerprint, contract.targetFingerprint);
    assert.equal(at.sends(), 1);
    assert.equal(store.reservationOf(contract.targetIdentityDigest), null);
    for (const key of subject.specimen.changes) {
      assert.notEqual(appliance.objects[place]?.[key], JSON.parse(before)[place][key]);
    }

    const back = await executor.rollback(prepared.contractId, adapter);
    assert.equal(back.kind, "rolled-back");
    assert.equal(back.contract.state, "ROLLED_BACK");
    assert.equal(back.sends, 1);
    assert.equal(at.sends(), 2);
    assert.equal(at.whole(), before);
    assert.deepEqual(
      store.audit(prepared.contractId).map(({ currentState }) => currentState),
      ["PREPARING", "PREPARED", "PREPARED", "EXECUTING", "VERIFIED", "ROLLING_BACK", "ROLLED_BACK"],
    );
    store.verify();
  });

  test(`${subject.adapter.semanticUnit}: 25 times in a row nothing else is another`, async (t) => {
    const made = rig(t, subject);
    const before = made.whole();
    const outside = (): string => {
      const objects = structuredClone(made.appliance.objects) as Record<string, unknown>[];
      for (const key of subject.specimen.changes)
        Reflect.deleteProperty(objects[made.place] ?? {}, key);
      return JSON.stringify(objects);
    };
    const others = outside();
    for (let cycle = 0; cycle < 25; cycle += 1) {
      // The very same change over the very same state would be the contract that is there already.
      const [intent] = made.specimen.intents;
      const text = subject === ALIAS ? "new_description" : "headline";
      const { contractId } = await made.verified({ ...intent, [text]: `cycle ${cycle}` });
      assert.notEqual(made.whole(), before);
      assert.equal(outside(), others);
      assert.equal((await made.executor.rollback(contractId, made.adapter)).kind, "rolled-back");
      assert.equal(made.whole(), before);
      made.clock.move(RATE_LIMITS.cooldownMillis);
    }
    assert.equal(made.sends(), 50);
  });
}

test("two executors' worth of calls send once: the second is refused", async (t) => {
  const made = rig(t);
  const { contractId } = await made.confirmed();
  const both = await Promise.allSettled([
    made.executor.execute(contractId, made.adapter, made.intent),
    made.executor.execute(contractId, made.adapter, made.intent),
  ]);
  assert.deepEqual(both.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
  assert.equal(made.sends(), 1);
  await assert.rejects(made.executor.execute(contractId, made.adapter, made.intent), {
    code: "CONTRACT_TRANSITION",
  });
  const twice = await Promise.allSettled([
    made.executor.rollback(contractId, made.adapter),
    made.executor.rollback(contractId, made.adapter),
  ]);
  assert.deepEqual(twice.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
  assert.equal(made.sends(), 2);
});

test("the same change over the same state is the same contract, and isn't prepared twice", async (t) => {
  const made = rig(t);
  await made.prepared();
  await assert.rejects(made.prepared(), { code: "CONTRACT_EXISTS" });
  await assert.rejects(made.prepared(made.specimen.intents[1]), { code: "RATE_OUTSTANDING" });
  made.clock.move(CONTRACT_TTL_MS);
  made.store.expireOverdue();
  await assert.rejects(made.prepared(), { code: "CONTRACT_EXISTS" });
  assert.ok(await made.executor.prepare(made.adapter, made.specimen.intents[1]));
});

test("a rollback needs no time left", async (t) => {
  const made = rig(t);
  const { contractId } = await made.verified();
  made.clock.move(10 * CONTRACT_TTL_MS);
  assert.equal((await made.executor.rollback(contractId, made.adapter)).kind, "rolled-back");
});
