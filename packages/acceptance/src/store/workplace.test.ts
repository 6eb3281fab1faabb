import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { confirmationOf, verifier } from "../testing/contracts.js";
import { drive, refusalOf, storePlace } from "../testing/stores.js";

const CHILD = fileURLToPath(new URL("../testing/worker-child.js", import.meta.url));

/** Another process with a contract in EXECUTING. */
const worker = async (
  t: { after(fn: () => void): void },
  directory: string,
): Promise<ChildProcess> => {
  const child = spawn(process.execPath, [CHILD, directory, "theirs"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  t.after(() => child.kill("SIGKILL"));
  const [said] = await once(child.stdout, "data");
  assert.equal(String(said), "executing\n");
  return child;
};

test("what a living process has under way isn't declared lost, and nothing is started beside it; when it is killed, it is", async (t) => {
  const { directory, open } = storePlace(t);
  const child = await worker(t, directory);
  const store = open({ clock: Date.now });
  assert.equal(
    refusalOf(() => store.recoverInterrupted()),
    "STORE_OCCUPIED",
  );
  // Preparing, confirming and looking need no place.
  const prepared = drive(store).prepared("ours", { target: "ours" });
  const confirmed = store.confirm(prepared, confirmationOf(prepared), verifier);
  assert.equal(
    refusalOf(() => store.acquireExecuting(confirmed)),
    "STORE_OCCUPIED",
  );
  assert.equal(store.load("theirs").state, "EXECUTING");

  child.kill("SIGKILL");
  await once(child, "close");
  assert.deepEqual(
    store.recoverInterrupted().map(({ contractId, state }) => [contractId, state]),
    [["theirs", "RECONCILIATION"]],
  );
  assert.equal(store.acquireExecuting(confirmed).state, "EXECUTING");
});

test("a process that closes its store gives the place back", async (t) => {
  const { directory, open } = storePlace(t);
  const child = await worker(t, directory);
  const store = open({ clock: Date.now });
  assert.equal(
    refusalOf(() => store.recoverInterrupted()),
    "STORE_OCCUPIED",
  );
  child.stdin?.end();
  await once(child, "close");
  assert.deepEqual(store.recoverInterrupted(), []);
  assert.equal(store.load("theirs").state, "VERIFIED");
});

test("the place is its user's alone, and no link", (t) => {
  const { directory, open } = storePlace(t);
  const store = open();
  store.recoverInterrupted();
  assert.equal(statSync(join(directory, "workplace.lock")).mode & 0o777, 0o600);

  const other = storePlace(t);
  const linked = other.open();
  symlinkSync(join(other.directory, "elsewhere"), join(other.directory, "workplace.lock"));
  assert.equal(
    refusalOf(() => linked.recoverInterrupted()),
    "STORE_FILE",
  );
});
