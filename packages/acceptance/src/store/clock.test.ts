import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { confirmationOf, LIFETIME, START, termsFor, verifier } from "../testing/contracts.js";
import { drive, refusalOf, storePlace } from "../testing/stores.js";

describe("one clock", () => {
  test("the trap of the second clock: confirming and executing expire by the store's clock, not by the machine's", (t) => {
    // By the machine's own clock everything here is years before or after its time.
    for (const start of [1_000_000, Date.now() + 10 * 365 * 86_400_000]) {
      const { open } = storePlace(t);
      let time = start;
      const store = open({ clock: () => time });
      assert.equal(store.now(), start);
      const contract = drive(store).prepared("c1");
      time = contract.expiresAt - 1;
      const evidence = confirmationOf(contract);
      const confirmed = store.confirm(contract, evidence, verifier);
      time += 1;
      assert.equal(
        refusalOf(() => store.acquireExecuting(confirmed)),
        "CONTRACT_EXPIRED",
      );
      time -= 1;
      assert.equal(store.acquireExecuting(confirmed).state, "EXECUTING");
    }
  });

  test("a clock that is set back doesn't make young again what the store has seen", (t) => {
    const { open, clock } = storePlace(t);
    const store = open();
    const to = drive(store);
    const contract = to.confirmed("c1");
    clock.move(LIFETIME);
    to.prepared("c2", { target: "other" });
    clock.move(-LIFETIME);
    assert.equal(store.now(), START + LIFETIME);
    assert.equal(
      refusalOf(() => store.acquireExecuting(contract)),
      "CONTRACT_EXPIRED",
    );
  });

  test("time in anything but whole milliseconds is no time", (t) => {
    const { open } = storePlace(t);
    for (const time of [1.5, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      const store = open({ clock: () => time });
      assert.equal(
        refusalOf(() => store.now()),
        "STORE_CLOCK",
      );
      assert.equal(
        refusalOf(() => store.create(termsFor("c1"))),
        "STORE_CLOCK",
      );
    }
    assert.equal(open({ clock: () => 0 }).now(), 0);
  });
});

test("what is overdue expires, all of it, and nothing else", (t) => {
  const { open, clock } = storePlace(t);
  const store = open();
  const to = drive(store);
  to.lost("lost", { target: "a" });
  to.prepared("old", { target: "b" });
  store.create(termsFor("older", { target: "c" }));
  clock.move(1);
  to.prepared("young", { target: "d" });
  clock.move(LIFETIME - 1);
  assert.deepEqual(
    store.expireOverdue().map(({ contractId, state }) => `${contractId} ${state}`),
    ["old EXPIRED", "older EXPIRED"],
  );
  assert.equal(store.load("young").state, "PREPARED");
  assert.equal(store.load("lost").state, "RECONCILIATION");
  assert.deepEqual(store.expireOverdue(), []);
  assert.equal(
    refusalOf(() => store.expire(store.load("young"))),
    "CONTRACT_UNEXPIRED",
  );
});
