import assert from "node:assert/strict";
import { test } from "node:test";
import { type ReadAnswer, TransportError } from "../client/index.js";
import { answerOf, revisions } from "../testing/revisions.js";
import { NOTICE, type Rig, rig } from "./testing/rig.js";

const SOUND = revisions(3);
const [NEWEST] = SOUND;
assert.ok(NEWEST);

/** Each differs in one thing from what is answered otherwise. */
const UNAVAILABLE: readonly (readonly [what: string, word: string, () => Promise<ReadAnswer>])[] = [
  ["a break", "TRANSPORT_RESET", () => Promise.reject(new TransportError("TRANSPORT_RESET"))],
  ["silence", "TRANSPORT_TIMEOUT", () => Promise.reject(new TransportError("TRANSPORT_TIMEOUT"))],
  [
    "half of it",
    "TRANSPORT_TRUNCATED",
    () => Promise.reject(new TransportError("TRANSPORT_TRUNCATED")),
  ],
  ["403", "HISTORY_REFUSED", async () => ({ ...answerOf(SOUND), status: 403 })],
  ["500", "HISTORY_REFUSED", async () => ({ ...answerOf(SOUND), status: 500 })],
  ["no list", "HISTORY_INVALID", async () => answerOf(null)],
  ["a key more", "HISTORY_INVALID", async () => answerOf([{ ...NEWEST, more: 1 }])],
  ["an empty list", "HISTORY_EMPTY", async () => answerOf([])],
  ["the same twice", "HISTORY_DISORDERED", async () => answerOf([NEWEST, { ...NEWEST, id: 1 }])],
  ["the oldest first", "HISTORY_DISORDERED", async () => answerOf(SOUND.toReversed())],
  [
    "a newest without bytes",
    "HISTORY_UNRESTORABLE",
    async () => answerOf([{ ...NEWEST, filesize: 0 }, ...SOUND.slice(1)]),
  ],
  [
    "text without a canonical form",
    "CANONICAL_INVALID",
    async () => answerOf([{ ...NEWEST, description: "\ud800" }]),
  ],
  ["a text that it throws", "UNKNOWN", () => Promise.reject("a text")],
  ["nothing at all", "UNKNOWN", async () => undefined as unknown as ReadAnswer],
];

const lockOf = (made: Rig, target: string): string | null =>
  made.store.reservationOf(target)?.contractId ?? null;

for (const [what, word, answer] of UNAVAILABLE) {
  test(`forward, the history answers with ${what}: FAILED, nothing is sent, the target is free`, async (t) => {
    const made = rig(t);
    const { contractId } = await made.confirmed();
    const there = made.whole();
    made.history = answer;
    const ended = await made.executor.execute(contractId, made.adapter, made.intent);
    const { kind, cause, sends, delivery, historyHead, contract } = ended;
    assert.equal(kind, "failed");
    assert.deepEqual(cause, { failureClass: "HISTORY_UNAVAILABLE", exceptionClass: word });
    assert.deepEqual([sends, delivery, historyHead], [0, "none", null]);
    assert.equal(contract.state, "FAILED");
    assert.equal(made.sends(), 0);
    assert.equal(made.whole(), there);
    assert.equal(lockOf(made, contract.targetIdentityDigest), null);
    const last = made.store.audit(contractId).at(-1);
    assert.deepEqual([last?.failureClass, last?.exceptionClass], ["HISTORY_UNAVAILABLE", word]);
  });

  test(`back, the history answers with ${what}: refused, nothing is sent, and it may be asked for again`, async (t) => {
    const made = rig(t);
    const verified = await made.verified();
    const { contractId, targetIdentityDigest } = verified;
    const there = made.whole();
    const { history } = made;
    made.history = answer;
    const back = () => made.executor.rollback(contractId, made.adapter);
    const refused = { name: "DrydockError", code: "EXECUTOR_HISTORY_UNAVAILABLE" };
    await assert.rejects(back(), { ...refused, message: new RegExp(` It was ${word}\\.`) });
    // As often as it is asked for.
    await assert.rejects(back(), refused);
    assert.deepEqual(made.store.load(contractId), verified);
    assert.equal(made.sends(), 1, "the change itself");
    assert.equal(made.whole(), there);
    assert.equal(lockOf(made, targetIdentityDigest), null);
    made.history = history;
    const ended = await back();
    assert.deepEqual([ended.kind, ended.sends], ["rolled-back", 1]);
    assert.equal(made.sends(), 2);
  });
}

test("with its history there the same is VERIFIED and ROLLED_BACK, and says what was captured", async (t) => {
  const made = rig(t);
  const { contractId } = await made.confirmed();
  const forward = await made.executor.execute(contractId, made.adapter, made.intent);
  assert.equal(forward.kind, "verified");
  assert.match(forward.historyHead ?? "", /^[0-9a-f]{64}$/);
  // The change made a revision of its own.
  made.history = async () => answerOf(revisions(4));
  const back = await made.executor.rollback(contractId, made.adapter);
  assert.equal(back.kind, "rolled-back");
  assert.match(back.historyHead ?? "", /^[0-9a-f]{64}$/);
  assert.notEqual(back.historyHead, forward.historyHead);
});

test("what was captured is the newest revision, whole, and no older one", async (t) => {
  const captured = async (rows: readonly object[]): Promise<string | null> => {
    const made = rig(t);
    const { contractId } = await made.confirmed();
    made.history = async () => answerOf(rows);
    const { historyHead } = await made.executor.execute(contractId, made.adapter, made.intent);
    return historyHead;
  };
  const before = await captured(SOUND);
  assert.ok(before);
  assert.equal(await captured(SOUND), before);
  assert.equal(await captured(SOUND.slice(0, 1)), before);
  assert.equal(await captured([NEWEST, { ...SOUND[1], description: "another" }]), before);
  for (const change of [
    { time: NEWEST.time + 1 },
    { description: "another" },
    { version: "another" },
    { filesize: NEWEST.filesize + 1 },
  ])
    assert.notEqual(await captured([{ ...NEWEST, ...change }, ...SOUND.slice(1)]), before);
});

test("what isn't VERIFIED is refused before the appliance is asked for its history", async (t) => {
  const made = rig(t);
  const { contractId } = await made.confirmed();
  const { history } = made;
  made.history = () => assert.fail("asked");
  await assert.rejects(made.executor.rollback(contractId, made.adapter), {
    code: "CONTRACT_TRANSITION",
  });
  made.history = history;
  await made.executor.execute(contractId, made.adapter, made.intent);
  const { kind } = await made.executor.rollback(contractId, made.adapter);
  assert.equal(kind, "rolled-back");
});

test("whoever asked for it twice while the history was read sends once", async (t) => {
  const made = rig(t);
  const { contractId } = await made.verified();
  const { history } = made;
  let answer: () => void = () => undefined;
  const shown = new Promise<void>((resolve) => {
    answer = resolve;
  });
  made.history = () => shown.then(history);
  const twice = Promise.allSettled([
    made.executor.rollback(contractId, made.adapter),
    made.executor.rollback(contractId, made.adapter),
  ]);
  answer();
  const ends = (await twice).map(({ status }) => status).sort();
  assert.deepEqual(ends, ["fulfilled", "rejected"]);
  assert.equal(made.sends(), 2, "the change, and one way back");
  assert.equal(made.store.load(contractId).state, "ROLLED_BACK");
});

test("it is asked once for each send, before the target is read, and for so many revisions", async (t) => {
  const made = rig(t);
  const order: string[] = [];
  const { history, send } = made;
  made.history = () => {
    order.push("history");
    return history();
  };
  made.readThrough = (get) => (path, query) => {
    order.push("target");
    return get(path, query);
  };
  made.send = (request, appliance) => {
    order.push("send");
    return send(request, appliance);
  };
  const { contractId } = await made.verified();
  assert.deepEqual(order.splice(0), ["target", "history", "target", "send", "target"]);
  await made.executor.rollback(contractId, made.adapter);
  assert.deepEqual(order, ["history", "target", "send", "target"]);
  assert.deepEqual(made.historyReads, [{ limit: 30 }, { limit: 30 }]);
});

test("what is captured is told of a change that ends otherwise, too", async (t) => {
  for (const [arrange, failureClass] of [
    [(made: Rig) => made.edit("descr", "edited"), "TARGET_DRIFTED"],
    [
      (made: Rig) => {
        made.send = async () => ({ kind: "ambiguous", reason: "RESET" });
      },
      "SEND_AMBIGUOUS",
    ],
  ] as const) {
    const made = rig(t);
    const { contractId } = await made.confirmed();
    arrange(made);
    const ended = await made.executor.execute(contractId, made.adapter, made.intent);
    assert.equal(ended.cause?.failureClass, failureClass);
    assert.ok(ended.historyHead);
  }
});

test("an appliance without a history isn't asked for one", async (t) => {
  const made = rig(t, NOTICE);
  made.history = () => assert.fail("asked");
  const { contractId } = await made.confirmed();
  const forward = await made.executor.execute(contractId, made.adapter, made.intent);
  assert.deepEqual([forward.kind, forward.historyHead], ["verified", null]);
  const back = await made.executor.rollback(contractId, made.adapter);
  assert.deepEqual([back.kind, back.historyHead], ["rolled-back", null]);
  assert.deepEqual(made.historyReads, []);
});
