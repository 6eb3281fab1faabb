import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { RecoveryContract } from "../contract/index.js";
import {
  AFTER,
  CAUSE,
  conclusionOf,
  confirmationOf,
  digestFor,
  LIFETIME,
  termsFor,
  verifier,
} from "../testing/contracts.js";
import { drive, refusalOf, storePlace } from "../testing/stores.js";
import type { ContractStore, FaultHooks } from "./index.js";
import { openContractStore } from "./open.js";

const POINTS = ["beforeTransaction", "afterRecordWrite", "beforeCommit", "afterCommit"] as const;
type Point = (typeof POINTS)[number];

/** Every write that a store has: what leads to it, and the write itself. */
const WRITES: Readonly<
  Record<
    string,
    {
      before: (store: ContractStore) => RecoveryContract | null;
      write: (store: ContractStore, contract: RecoveryContract | null) => unknown;
    }
  >
> = (() => {
  const write = (
    before: (to: ReturnType<typeof drive>) => RecoveryContract,
    act: (store: ContractStore, contract: RecoveryContract) => unknown,
  ) => ({
    before: (store: ContractStore) => before(drive(store)),
    write: (store: ContractStore, contract: RecoveryContract | null) => {
      assert.ok(contract !== null);
      return act(store, contract);
    },
  });
  return {
    create: { before: () => null, write: (store) => store.create(termsFor("c1")) },
    prepared: {
      before: (store) => store.create(termsFor("c1")),
      write: (store, contract) => contract !== null && store.markPrepared(contract),
    },
    confirm: write(
      (to) => to.prepared("c1"),
      (store, contract) => store.confirm(contract, confirmationOf(contract), verifier),
    ),
    acquire: write(
      (to) => to.confirmed("c1"),
      (store, contract) => store.acquireExecuting(contract),
    ),
    "seal-verified": write(
      (to) => to.executing("c1"),
      (store, contract) => store.sealVerified(contract, { fingerprint: AFTER, locator: 7 }),
    ),
    fail: write(
      (to) => to.executing("c1"),
      (store, contract) => store.fail(contract, CAUSE),
    ),
    "lose-track": write(
      (to) => to.executing("c1"),
      (store, contract) => store.enterReconciliation(contract, CAUSE),
    ),
    "begin-rollback": write(
      (to) => to.verified("c1"),
      (store, contract) => store.beginRollback(contract),
    ),
    "seal-rolled-back": write(
      (to) => to.rollingBack("c1"),
      (store, contract) => store.sealRolledBack(contract, { locator: 7 }),
    ),
    "fail-rollback": write(
      (to) => to.rollingBack("c1"),
      (store, contract) => store.failRollback(contract, CAUSE),
    ),
    resolve: write(
      (to) => to.lost("c1"),
      (store, contract) =>
        store.resolve(contract, conclusionOf(contract, "confirmed_applied"), verifier),
    ),
    interrupted: write(
      (to) => to.executing("c1"),
      (store) => store.recoverInterrupted(),
    ),
  };
})();

const stateOf = (store: ContractStore) => {
  const contracts = store.contracts();
  return {
    contracts,
    history: contracts.map(({ contractId }) => store.audit(contractId)),
    lock: store.reservationOf(digestFor("target")),
  };
};

const failingAt = (point: Point, write: string): FaultHooks => ({
  [point]: (name: string) => {
    if (name === write) throw new Error(`died ${point}`);
  },
});

for (const [name, { before, write }] of Object.entries(WRITES)) {
  describe(name, () => {
    test("passes the four points in order, each once", (t) => {
      const { open, openWithHooks } = storePlace(t);
      const contract = before(open());
      const passed: string[] = [];
      const hooks = Object.fromEntries(
        POINTS.map((point) => [
          point,
          (said: string) => {
            if (said === name) passed.push(point);
          },
        ]),
      );
      write(openWithHooks(hooks), contract);
      const expected = name === "interrupted" ? [...POINTS, "beforeTransaction"] : POINTS;
      assert.deepEqual(passed, expected);
    });

    for (const point of POINTS) {
      const durable = point === "afterCommit";
      test(`failing ${point} leaves ${durable ? "all of it" : "nothing of it"}`, (t) => {
        const { open, openWithHooks } = storePlace(t);
        const sound = open();
        const contract = before(sound);
        const earlier = stateOf(sound);
        const store = openWithHooks(failingAt(point, name));
        assert.throws(() => write(store, contract), new RegExp(`died ${point}`));
        const later = stateOf(open());
        if (durable) {
          assert.notDeepEqual(later.contracts, earlier.contracts);
          assert.equal(later.history.flat().length, earlier.history.flat().length + 1);
        } else {
          assert.deepEqual(later, earlier);
          // Nothing is left in the way either: the same thing can be done now.
          assert.equal(
            refusalOf(() => write(sound, contract)),
            "accepted",
          );
        }
      });
    }
  });
}

test("expiry passes the four points as well", (t) => {
  const { openWithHooks, clock } = storePlace(t);
  const passed: string[] = [];
  const store = openWithHooks(
    Object.fromEntries(
      POINTS.map((point) => [point, (said: string) => said === "expire" && passed.push(point)]),
    ),
  );
  const contract = drive(store).prepared("c1");
  clock.move(LIFETIME);
  store.expire(contract);
  assert.deepEqual(passed, POINTS);
});

test("after the commit of EXECUTING its caller sees an error, and nobody else will ever get it", (t) => {
  const { open, openWithHooks } = storePlace(t);
  const contract = drive(open()).confirmed("c1");
  const store = openWithHooks(failingAt("afterCommit", "acquire"));
  assert.throws(() => store.acquireExecuting(contract));
  const next = open();
  assert.equal(next.load("c1").state, "EXECUTING");
  assert.equal(
    refusalOf(() => next.acquireExecuting(next.load("c1"))),
    "CONTRACT_TRANSITION",
  );
  assert.equal(next.recoverInterrupted()[0]?.state, "RECONCILIATION");
});

test("the store that is opened for use takes no hook, whatever it is handed", (t) => {
  const { options, openWithHooks } = storePlace(t);
  let called = 0;
  const count = () => {
    called += 1;
  };
  const hooks = Object.fromEntries(POINTS.map((point) => [point, count]));
  const store = openContractStore({ ...options, hooks } as typeof options);
  store.create(termsFor("c1"));
  store.close();
  assert.equal(called, 0);
  openWithHooks(hooks).markPrepared({ contractId: "c1", stateVersion: 1 });
  assert.equal(called, 4);
});
