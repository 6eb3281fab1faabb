import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { describe, test } from "node:test";
import Database from "better-sqlite3";
import {
  AFTER,
  CAUSE,
  conclusionOf,
  confirmationOf,
  digestFor,
  LIFETIME,
  START,
  termsFor,
  verifier,
} from "../testing/contracts.js";
import { drive, refusalOf, STORE_ID, STORE_KEY, storePlace } from "../testing/stores.js";

const TARGET = digestFor("target");

test("a change goes forward and back, and its history says so", (t) => {
  const { open } = storePlace(t);
  const store = open();
  const to = drive(store);
  const back = store.sealRolledBack(to.rollingBack("c1"), { locator: 7 });
  assert.deepEqual([back.state, back.stateVersion], ["ROLLED_BACK", 7]);
  assert.deepEqual(
    store.audit("c1").map(({ outcome, currentState }) => `${outcome} ${currentState}`),
    [
      "created PREPARING",
      "prepared PREPARED",
      "confirm PREPARED",
      "acquire EXECUTING",
      "seal-verified VERIFIED",
      "begin-rollback ROLLING_BACK",
      "seal-rolled-back ROLLED_BACK",
    ],
  );
  store.close();
  assert.deepEqual(open().load("c1"), back);
});

describe("a target is held in exactly the states that may have touched it", () => {
  for (const [where, held] of [
    ["prepared", false],
    ["confirmed", false],
    ["executing", true],
    ["verified", false],
    ["rollingBack", true],
    ["lost", true],
    ["lostRollback", true],
  ] as const) {
    test(where, (t) => {
      const store = storePlace(t).open();
      drive(store)[where]("c1");
      const reservation = held ? { targetIdentityDigest: TARGET, contractId: "c1" } : null;
      assert.deepEqual(store.reservationOf(TARGET), reservation);
    });
  }

  for (const [name, held] of [
    ["FAILED", false],
    ["ROLLED_BACK", false],
    ["ROLLBACK_FAILED", true],
    ["EXPIRED", false],
  ] as const) {
    test(name, (t) => {
      const { open, clock } = storePlace(t);
      const store = open();
      const to = drive(store);
      if (name === "FAILED") store.fail(to.executing("c1"), CAUSE);
      if (name === "ROLLED_BACK") store.sealRolledBack(to.rollingBack("c1"), { locator: 7 });
      if (name === "ROLLBACK_FAILED") store.failRollback(to.rollingBack("c1"), CAUSE);
      if (name === "EXPIRED") {
        to.confirmed("c1");
        clock.move(LIFETIME);
        store.expireOverdue();
      }
      assert.equal(store.load("c1").state, name);
      assert.equal(store.reservationOf(TARGET) !== null, held);
    });
  }
});

test("a target that is held is nobody else's, after the minute and in another process too", (t) => {
  const { open, clock } = storePlace(t);
  const store = open();
  drive(store).lost("c1");
  clock.move(120_000);
  const other = open();
  const waiting = drive(other).confirmed("c2");
  assert.equal(
    refusalOf(() => other.acquireExecuting(waiting)),
    "TARGET_RESERVED",
  );
  drive(other).resolved(other.load("c1"), "confirmed_not_applied");
  assert.equal(other.acquireExecuting(waiting).state, "EXECUTING");
});

test("one change is under way at a time, whatever its target", (t) => {
  const store = storePlace(t).open();
  const to = drive(store);
  const first = to.executing("c1");
  const second = to.confirmed("c2", { target: "other" });
  assert.equal(
    refusalOf(() => store.acquireExecuting(second)),
    "RATE_IN_FLIGHT",
  );
  const verified = store.sealVerified(first, { fingerprint: AFTER, locator: 7 });
  const held = store.acquireExecuting(second);
  assert.equal(
    refusalOf(() => store.beginRollback(verified)),
    "RATE_IN_FLIGHT",
  );
  store.fail(held, CAUSE);
  assert.equal(store.beginRollback(verified).state, "ROLLING_BACK");
});

test("the rate policy is asked when a contract is created, and a refusal leaves no row", (t) => {
  const { open, clock } = storePlace(t);
  const store = open();
  const to = drive(store);
  const create = (name: string, target: string) =>
    refusalOf(() => store.create(termsFor(name, { at: store.now(), target })));

  store.fail(to.prepared("c1"), CAUSE);
  assert.equal(create("c2", "target"), "RATE_COOLDOWN");
  assert.equal(
    refusalOf(() => store.load("c2")),
    "CONTRACT_UNKNOWN",
  );
  clock.move(59_999);
  assert.equal(create("c2", "target"), "RATE_COOLDOWN");
  store.close();
  const again = open();
  assert.equal(
    refusalOf(() => again.create(termsFor("c2", { at: START }))),
    "RATE_COOLDOWN",
  );
  clock.move(1);
  assert.equal(
    refusalOf(() => again.create(termsFor("c2", { at: START }))),
    "accepted",
  );
  assert.equal(
    refusalOf(() => again.create(termsFor("c3", { at: START }))),
    "RATE_OUTSTANDING",
  );
});

test("three unresolved contracts stop every preparation, and two don't", (t) => {
  const store = storePlace(t).open();
  const to = drive(store);
  for (const name of ["a", "b", "c"]) to.lost(name, { target: name });
  const create = () => refusalOf(() => store.create(termsFor("d", { target: "d" })));
  assert.equal(create(), "RATE_LOCKOUT");
  to.resolved(store.load("b"), "confirmed_not_applied");
  assert.equal(create(), "accepted");
});

test("the same contract, operation or change isn't there twice, whatever became of it", (t) => {
  const { open, clock } = storePlace(t);
  const store = open();
  const terms = termsFor("c1");
  store.fail(store.create(terms), CAUSE);
  clock.move(60_000);
  const create = (other: ReturnType<typeof termsFor>) => refusalOf(() => store.create(other));
  const fresh = termsFor("c2");
  assert.equal(create({ ...fresh, contractId: "c1" }), "CONTRACT_EXISTS");
  assert.equal(create({ ...fresh, operationId: "op-c1" }), "CONTRACT_EXISTS");
  const renamed = { ...terms, contractId: "c3", operationId: "op-c3" };
  assert.equal(create(renamed), "CONTRACT_EXISTS");
  assert.equal(create(fresh), "accepted");
});

test("terms that aren't a contract's are refused before anything is written", (t) => {
  const store = storePlace(t).open();
  const terms = termsFor("c1");
  assert.equal(
    refusalOf(() => store.create({ ...terms, idempotencyKey: digestFor("x") })),
    "CONTRACT_INVALID",
  );
  assert.deepEqual(store.contracts(), []);
  assert.equal(
    refusalOf(() => store.create(terms)),
    "accepted",
  );
});

describe("two operators over one contract", () => {
  test("of two that acquire, one does", (t) => {
    const { open } = storePlace(t);
    const [one, other] = [open(), open()];
    const contract = drive(one).confirmed("c1");
    assert.equal(one.acquireExecuting(contract).state, "EXECUTING");
    assert.equal(
      refusalOf(() => other.acquireExecuting(contract)),
      "CONTRACT_STALE",
    );
    assert.equal(
      refusalOf(() => other.acquireExecuting(other.load("c1"))),
      "CONTRACT_TRANSITION",
    );
  });

  test("of two that confirm, one does, and the other's evidence is of no more use", (t) => {
    const { open } = storePlace(t);
    const [one, other] = [open(), open()];
    const contract = drive(one).prepared("c1");
    const evidence = confirmationOf(contract);
    const confirmed = one.confirm(contract, evidence, verifier);
    assert.equal(
      refusalOf(() => other.confirm(contract, evidence, verifier)),
      "CONTRACT_STALE",
    );
    assert.equal(
      refusalOf(() => other.confirm(confirmed, evidence, verifier)),
      "CONTRACT_CONFIRMED",
    );
    assert.deepEqual(other.load("c1"), confirmed);
  });
});

test("the trap of the nonce that nobody remembers: a nonce that was used confirms no other contract and resolves none, in any later process", (t) => {
  const { open, clock } = storePlace(t);
  const store = open();
  const first = drive(store).confirmed("c1");
  store.fail(first, CAUSE);
  clock.move(60_000);
  store.close();

  const again = open();
  const second = drive(again).prepared("c2");
  const replayed = confirmationOf(second, { nonce: "nonce-of-c1" });
  assert.equal(
    refusalOf(() => again.confirm(second, replayed, verifier)),
    "EVIDENCE_REPLAYED",
  );
  assert.equal(again.load("c2").confirmation, null);
  const executing = again.acquireExecuting(again.confirm(second, confirmationOf(second), verifier));
  const lost = again.enterReconciliation(executing, CAUSE);
  const conclude = (nonce: string) =>
    refusalOf(() =>
      again.resolve(lost, conclusionOf(lost, "confirmed_not_applied", { nonce }), verifier),
    );
  assert.equal(conclude("nonce-of-c2"), "EVIDENCE_REPLAYED");
  assert.equal(conclude("fresh"), "accepted");
});

test("what was under way when its process died is lost, keeps its target and is sent no more", (t) => {
  const { open } = storePlace(t);
  const store = open();
  const to = drive(store);
  to.executing("forward", { target: "a" });
  store.close();
  const next = open();
  assert.deepEqual(
    next
      .recoverInterrupted()
      .map(({ contractId, state, enteredReconciliationFrom: from }) => [contractId, state, from]),
    [["forward", "RECONCILIATION", "EXECUTING"]],
  );
  assert.notEqual(next.reservationOf(digestFor("a")), null);
  drive(next).rollingBack("back", { target: "b" });
  next.close();
  const last = open();
  assert.deepEqual(
    last
      .recoverInterrupted()
      .map(({ contractId, enteredReconciliationFrom: from }) => [contractId, from]),
    [["back", "ROLLING_BACK"]],
  );
  assert.notEqual(last.reservationOf(digestFor("b")), null);
  assert.deepEqual(last.recoverInterrupted(), []);
  for (const name of ["forward", "back"]) {
    const lost = last.load(name);
    assert.equal(
      refusalOf(() => last.acquireExecuting(lost)),
      "CONTRACT_TRANSITION",
    );
    assert.equal(
      refusalOf(() => last.beginRollback(lost)),
      "CONTRACT_TRANSITION",
    );
  }
});

test("a store that another process holds for longer than a transaction takes is busy", (t) => {
  const { open, file } = storePlace(t);
  const store = open();
  const other = new Database(file);
  other.exec("BEGIN IMMEDIATE");
  assert.equal(
    refusalOf(() => store.create(termsFor("c1"))),
    "STORE_BUSY",
  );
  other.exec("ROLLBACK");
  other.close();
  assert.equal(
    refusalOf(() => store.create(termsFor("c1"))),
    "accepted",
  );
});

test("of processes that prepare for one target at the same moment one does", async (t) => {
  const { directory, open } = storePlace(t);
  const script = `
    import { openContractStore } from ${JSON.stringify(new URL("./open.js", import.meta.url).href)};
    import { termsFor } from ${JSON.stringify(new URL("../testing/contracts.js", import.meta.url).href)};
    const store = openContractStore({ directory: process.argv[1], storeId: ${JSON.stringify(STORE_ID)},
      key: Buffer.from(${JSON.stringify(STORE_KEY.toString("hex"))}, "hex"), clock: () => ${START} });
    process.stdin.once("data", () => {
      try { store.create(termsFor(process.argv[2])); console.log("created"); }
      catch (error) { console.log(error.code); }
      process.exit();
    });
    console.log("ready");`;
  const processes = ["a", "b", "c"].map((name) => {
    const args = ["--input-type=module", "-e", script, directory, name];
    const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
    t.after(() => child.kill("SIGKILL"));
    return { child, lines: createInterface(child.stdout)[Symbol.asyncIterator]() };
  });
  for (const { lines } of processes) assert.equal((await lines.next()).value, "ready");
  for (const { child } of processes) child.stdin.write("go");
  const said = await Promise.all(processes.map(async ({ lines }) => (await lines.next()).value));
  assert.deepEqual(said.sort(), ["RATE_OUTSTANDING", "RATE_OUTSTANDING", "created"]);
  assert.equal(open().contracts().length, 1);
});

test("another key, too short a key, and another store's id open nothing", (t) => {
  const { open } = storePlace(t);
  open().close();
  assert.equal(
    refusalOf(() => open({ key: Buffer.alloc(32, 6) })),
    "STORE_INTEGRITY",
  );
  assert.equal(
    refusalOf(() => open({ storeId: "store-2" })),
    "STORE_INTEGRITY",
  );
  assert.equal(
    refusalOf(() => open({ key: STORE_KEY.subarray(1) })),
    "STORE_KEY",
  );
  assert.equal(
    refusalOf(() => open()),
    "accepted",
  );
});

test("neither the key nor a proof is in the store's file", (t) => {
  const { open, file } = storePlace(t);
  const store = open();
  const { proof } = confirmationOf(drive(store).lost("c1"));
  store.close();
  const bytes = readFileSync(file);
  assert.ok(bytes.includes("op-c1"));
  for (const secret of [STORE_KEY, Buffer.from(proof)]) {
    for (const spelling of [secret, secret.toString("hex"), secret.toString("base64")]) {
      assert.ok(!bytes.includes(spelling));
    }
  }
});
