import assert from "node:assert/strict";
import { test } from "node:test";
import { TransportError } from "../client/index.js";
import { type Rig, rig } from "./testing/rig.js";

/** What may have happened to the target while nobody was looking. */
const DRIFT: readonly (readonly [
  what: string,
  arrange: (made: Rig) => void,
  failureClass: string,
])[] = [
  ["its description was edited", (made) => made.edit("descr", "edited"), "TARGET_DRIFTED"],
  [
    "a member was edited",
    (made) => made.edit("address", ["192.0.2.9", "192.0.2.2"]),
    "TARGET_DRIFTED",
  ],
  [
    "its members were reordered",
    (made) => made.edit("address", ["192.0.2.2", "192.0.2.1"]),
    "TARGET_DRIFTED",
  ],
  ["a detail was edited", (made) => made.edit("detail", ["", ""]), "TARGET_DRIFTED"],
  ["it became of another type", (made) => made.edit("type", "network"), "TARGET_DRIFTED"],
  [
    "another number was given to it",
    (made) => {
      made.appliance.objects = [...made.appliance.objects].reverse();
    },
    "TARGET_MOVED",
  ],
  [
    "it was removed",
    (made) => {
      made.appliance.objects = made.appliance.objects.filter((_, at) => at !== made.place);
    },
    "READ_FAILED",
  ],
  [
    "there are two of it",
    (made) => {
      made.appliance.objects = [
        ...made.appliance.objects,
        made.appliance.objects[made.place] ?? {},
      ];
    },
    "READ_FAILED",
  ],
  [
    "it became of a kind that isn't changed",
    (made) => made.edit("type", "urltable"),
    "READ_FAILED",
  ],
];

for (const [what, arrange, failureClass] of DRIFT) {
  test(`before the change ${what}: FAILED, and nothing is sent`, async (t) => {
    const made = rig(t);
    const { contractId } = await made.confirmed();
    arrange(made);
    const there = made.whole();
    const ended = await made.executor.execute(contractId, made.adapter, made.intent);
    assert.equal(ended.kind, "failed");
    assert.equal(ended.cause?.failureClass, failureClass);
    assert.equal(ended.contract.state, "FAILED");
    assert.equal(ended.sends, 0);
    assert.equal(ended.delivery, "none");
    assert.equal(made.sends(), 0);
    assert.equal(made.whole(), there);
    assert.equal(made.store.reservationOf(ended.contract.targetIdentityDigest), null);
  });

  test(`after the change ${what}: ROLLBACK_FAILED, nothing is sent, and the target stays locked`, async (t) => {
    const made = rig(t);
    const { contractId } = await made.verified();
    arrange(made);
    const there = made.whole();
    const ended = await made.executor.rollback(contractId, made.adapter);
    assert.equal(ended.kind, "rollback-failed");
    assert.equal(ended.cause?.failureClass, failureClass);
    assert.equal(ended.contract.state, "ROLLBACK_FAILED");
    assert.equal(ended.sends, 0);
    assert.equal(made.sends(), 1, "the change itself");
    assert.equal(made.whole(), there, "whatever it is, it stays");
    assert.equal(
      made.store.reservationOf(ended.contract.targetIdentityDigest)?.contractId,
      contractId,
    );
    await assert.rejects(made.executor.rollback(contractId, made.adapter), {
      code: "CONTRACT_TRANSITION",
    });
  });
}

test("what happens to other aliases changes nothing", async (t) => {
  const made = rig(t);
  const { contractId } = await made.confirmed();
  const edit = (): void => {
    made.appliance.objects = made.appliance.objects.map((object, at) =>
      at === 0 ? { ...object, descr: `${object["descr"]}, edited` } : object,
    );
  };
  edit();
  const { kind } = await made.executor.execute(contractId, made.adapter, made.intent);
  assert.equal(kind, "verified");
  edit();
  assert.equal((await made.executor.rollback(contractId, made.adapter)).kind, "rolled-back");
});

test("somebody put the target back by hand: that is a conflict as well", async (t) => {
  const made = rig(t);
  const { contractId } = await made.verified();
  made.edit("descr", "before");
  const ended = await made.executor.rollback(contractId, made.adapter);
  assert.equal(ended.contract.state, "ROLLBACK_FAILED");
  assert.equal(made.sends(), 1);
});

test("a target that can't be read before the change is unharmed, before the way back unknown", async (t) => {
  const unreadable = () => () => Promise.reject(new TransportError("TRANSPORT_TIMEOUT"));
  const made = rig(t);
  const { contractId } = await made.confirmed();
  made.readThrough = unreadable;
  const forward = await made.executor.execute(contractId, made.adapter, made.intent);
  assert.equal(forward.contract.state, "FAILED");
  assert.deepEqual(forward.cause, {
    failureClass: "READ_FAILED",
    exceptionClass: "TRANSPORT_TIMEOUT",
  });
  assert.equal(made.sends(), 0);

  const other = rig(t);
  const verified = await other.verified();
  other.readThrough = unreadable;
  const back = await other.executor.rollback(verified.contractId, other.adapter);
  assert.equal(back.contract.state, "RECONCILIATION");
  assert.equal(back.sends, 0);
  assert.equal(other.sends(), 1);
});
