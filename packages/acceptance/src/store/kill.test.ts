import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { profile } from "@drydock/testkit";
import type { RecoveryContract } from "../contract/index.js";
import { conclusionOf, ownDirectory, verifier } from "../testing/contracts.js";
import { STORE_ID, STORE_KEY } from "../testing/stores.js";
import { type ContractStore, openContractStore } from "./index.js";

const CHILD = fileURLToPath(new URL("../testing/kill-child.js", import.meta.url));

const place = (t: { after(fn: () => void): void }): string => {
  const directory = ownDirectory(t);
  mkdirSync(join(directory, "store"), { mode: 0o700 });
  return directory;
};

const open = (directory: string): ContractStore =>
  openContractStore({
    directory: join(directory, "store"),
    storeId: STORE_ID,
    key: STORE_KEY,
    clock: Date.now,
  });

/** Runs a child until it is killed: after so many calls of its have returned, or by itself. */
const killed = async (args: readonly string[], after = Number.POSITIVE_INFINITY) => {
  const child = spawn(process.execPath, [CHILD, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  let returned = 0;
  child.stdout.on("data", (bytes: Buffer) => {
    returned += bytes.length;
    if (returned >= after) child.kill("SIGKILL");
  });
  await once(child, "close");
  assert.equal(child.signalCode, "SIGKILL");
  return returned;
};

const sendsOf = (directory: string): readonly string[] => {
  const file = join(directory, "sends");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
};

const eventsOf = (store: ContractStore): number =>
  store.contracts().reduce((sum, { stateVersion }) => sum + stateVersion, 0);

const holds = ({ state }: RecoveryContract): boolean =>
  state === "EXECUTING" || state === "ROLLING_BACK" || state === "RECONCILIATION";

/** Whoever looks at the appliance: what was sent was done, and nothing else was. */
const conclude = (store: ContractStore, sends: readonly string[]): void => {
  for (const lost of store.recoverInterrupted()) {
    assert.equal(lost.state, "RECONCILIATION");
    assert.notEqual(store.reservationOf(lost.targetIdentityDigest), null);
    const outcome =
      lost.enteredReconciliationFrom === "EXECUTING"
        ? sends.includes(`${lost.contractId} forward`)
          ? "confirmed_applied"
          : "confirmed_not_applied"
        : sends.includes(`${lost.contractId} back`)
          ? "confirmed_rollback_applied"
          : "confirmed_rollback_not_applied";
    store.resolve(lost, conclusionOf(lost, outcome), verifier);
  }
};

test("kill -9 at any moment: what returned is there, at most one step more, locks are where they belong and nothing is sent twice", async (t) => {
  const directory = place(t);
  let before = 0;
  for (let round = 0; round < Math.max(8, profile.kills); round += 1) {
    // Each round ends after another of the seven calls of a contract, in a later contract.
    const returned = await killed([directory, `r${round}`], 1 + round * 5);
    const store = open(directory);
    store.verify();
    const written = eventsOf(store) - before;
    assert.ok(written === returned || written === returned + 1, `${written} for ${returned}`);

    const sends = sendsOf(directory);
    assert.equal(new Set(sends).size, sends.length, "sent twice");
    for (const contract of store.contracts()) {
      const held = store.reservationOf(contract.targetIdentityDigest);
      const wanted = holds(contract) || contract.state === "ROLLBACK_FAILED";
      assert.equal(held !== null, wanted, contract.state);
      // Whatever was sent had a lock first: only these states come after one.
      if (sends.includes(`${contract.contractId} forward`)) {
        assert.ok(contract.stateVersion >= 4, contract.state);
      }
    }
    conclude(store, sends);
    before = eventsOf(store);
    assert.ok(!store.contracts().some(holds));
    store.close();
  }
});

const POINTS = ["beforeTransaction", "afterRecordWrite", "beforeCommit", "afterCommit"] as const;
const WRITES = [
  "acquire",
  "begin-rollback",
  "create",
  "prepared",
  "confirm",
  "seal-verified",
  "seal-rolled-back",
] as const;
const STEPS: Readonly<Record<(typeof WRITES)[number], number>> = {
  create: 0,
  prepared: 1,
  confirm: 2,
  acquire: 3,
  "seal-verified": 4,
  "begin-rollback": 5,
  "seal-rolled-back": 6,
};

for (const write of profile.name === "soak" ? WRITES : WRITES.slice(0, 2)) {
  test(`kill -9 at each point of ${write}: before the commit nothing, after it all of it`, async (t) => {
    for (const point of POINTS) {
      const directory = place(t);
      const returned = await killed([directory, "c", write, point]);
      assert.equal(returned, STEPS[write]);
      const store = open(directory);
      const steps = STEPS[write] + (point === "afterCommit" ? 1 : 0);
      assert.equal(eventsOf(store), steps, point);
      // A request leaves when the call before it has returned, and not earlier.
      const left = (returned >= 4 ? 1 : 0) + (returned >= 6 ? 1 : 0);
      assert.equal(sendsOf(directory).length, left, point);
      conclude(store, sendsOf(directory));
      store.verify();
      store.close();
    }
  });
}
