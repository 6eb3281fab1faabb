import assert from "node:assert/strict";
import { test } from "node:test";
import { targetFingerprint } from "../canonical/index.js";
import { conclusionOf } from "../testing/contracts.js";
import { scopeOf } from "./scope.js";
import { ALIAS, type Rig, rig } from "./testing/rig.js";

test("restarted in EXECUTING: RECONCILIATION, the target stays locked, nothing is sent again", async (t) => {
  const made = rig(t);
  const confirmed = await made.confirmed();
  made.store.acquireExecuting(confirmed);
  const again = made.restart();
  const [interrupted, ...more] = again.executor.interrupted;
  assert.equal(more.length, 0);
  assert.equal(interrupted?.contractId, confirmed.contractId);
  assert.equal(interrupted.state, "RECONCILIATION");
  assert.equal(interrupted.enteredReconciliationFrom, "EXECUTING");
  assert.equal(
    again.store.reservationOf(confirmed.targetIdentityDigest)?.contractId,
    confirmed.contractId,
  );
  await assert.rejects(again.executor.execute(confirmed.contractId, again.adapter, again.intent), {
    code: "CONTRACT_TRANSITION",
  });
  assert.equal(made.sends() + again.sends(), 0);
});

test("restarted in ROLLING_BACK: RECONCILIATION, the target stays locked, nothing is sent again", async (t) => {
  const made = rig(t);
  const verified = await made.verified();
  made.store.beginRollback(verified);
  const again = made.restart();
  const [interrupted] = again.executor.interrupted;
  assert.equal(interrupted?.state, "RECONCILIATION");
  assert.equal(interrupted.enteredReconciliationFrom, "ROLLING_BACK");
  assert.equal(
    again.store.reservationOf(verified.targetIdentityDigest)?.contractId,
    verified.contractId,
  );
  await assert.rejects(again.executor.rollback(verified.contractId, again.adapter), {
    code: "CONTRACT_TRANSITION",
  });
  assert.equal(again.sends(), 0);
});

test("restarted in any other state nothing is interrupted, and it goes on from there", async (t) => {
  const made = rig(t);
  const { contractId } = await made.confirmed();
  const second = made.restart();
  assert.deepEqual(second.executor.interrupted, []);
  const { kind } = await second.executor.execute(contractId, second.adapter, second.intent);
  assert.equal(kind, "verified");
  const third = second.restart();
  assert.deepEqual(third.executor.interrupted, []);
  assert.equal((await third.executor.rollback(contractId, third.adapter)).kind, "rolled-back");
});

/** A change whose response was lost, after the appliance did it or before. */
const lost = async (
  t: { after(fn: () => void): void },
  applied: boolean,
): Promise<Rig & { id: string }> => {
  const made = rig(t);
  const { contractId } = await made.confirmed();
  made.send = async (request, appliance) => {
    if (applied) appliance.apply(request);
    return { kind: "ambiguous", reason: "TIMEOUT" };
  };
  const { contract } = await made.executor.execute(contractId, made.adapter, made.intent);
  assert.equal(contract.state, "RECONCILIATION");
  made.send = async (request, appliance) => ({ kind: "answered", ...appliance.apply(request) });
  return Object.assign(made, { id: contractId });
};

test("signed as applied it is VERIFIED, and its rollback finds what was signed for", async (t) => {
  const made = await lost(t, true);
  const target = await made.adapter.readTarget(made.appliance, { alias_name: "LAB_ALIAS" });
  const fingerprint = targetFingerprint(scopeOf(made.adapter), made.adapter.fingerprint(target));
  const evidence = conclusionOf(made.store.load(made.id), "confirmed_applied", { fingerprint });
  assert.equal(made.executor.reconcile(made.id, evidence).state, "VERIFIED");
  assert.equal((await made.executor.rollback(made.id, made.adapter)).kind, "rolled-back");
  assert.equal(made.appliance.objects[ALIAS.place]?.["descr"], "before");
});

test("signed as applied with another fingerprint, its rollback finds a conflict and sends nothing", async (t) => {
  const made = await lost(t, true);
  const evidence = conclusionOf(made.store.load(made.id), "confirmed_applied");
  assert.equal(made.executor.reconcile(made.id, evidence).state, "VERIFIED");
  const before = made.sends();
  const ended = await made.executor.rollback(made.id, made.adapter);
  assert.equal(ended.contract.state, "ROLLBACK_FAILED");
  assert.equal(made.sends(), before);
});

test("signed as not applied it is FAILED, and lets the target go", async (t) => {
  const made = await lost(t, false);
  const contract = made.store.load(made.id);
  const evidence = conclusionOf(contract, "confirmed_not_applied");
  assert.equal(made.executor.reconcile(made.id, evidence).state, "FAILED");
  assert.equal(made.store.reservationOf(contract.targetIdentityDigest), null);
});

for (const [outcome, state, held] of [
  ["confirmed_rollback_applied", "ROLLED_BACK", false],
  ["confirmed_rollback_not_applied", "ROLLBACK_FAILED", true],
] as const) {
  test(`a way back that was lost, signed as ${outcome}, is ${state}`, async (t) => {
    const made = rig(t);
    const { contractId, targetIdentityDigest } = await made.verified();
    made.send = async () => ({ kind: "ambiguous", reason: "RESET" });
    const { contract } = await made.executor.rollback(contractId, made.adapter);
    assert.equal(contract.state, "RECONCILIATION");
    assert.throws(
      () => made.executor.reconcile(contractId, conclusionOf(contract, "confirmed_applied")),
      { code: "CONTRACT_OUTCOME" },
    );
    assert.equal(made.executor.reconcile(contractId, conclusionOf(contract, outcome)).state, state);
    assert.equal(made.store.reservationOf(targetIdentityDigest) !== null, held);
  });
}
