import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { confirmationOf, verifier } from "../testing/contracts.js";
import { drive, refusalOf, STORE_ID, STORE_KEY, storePlace } from "../testing/stores.js";

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

/** Tries to take the place, and says with what it was refused. */
const trying = (directory: string): string => `
  import(${JSON.stringify(new URL("./open.js", import.meta.url).href)}).then(({ openContractStore }) => {
    const store = openContractStore({ directory: ${JSON.stringify(directory)}, clock: Date.now,
      storeId: ${JSON.stringify(STORE_ID)}, key: Buffer.from(${JSON.stringify(STORE_KEY.toString("hex"))}, "hex") });
    try { store.recoverInterrupted(); console.log("accepted"); }
    catch (error) { console.log(error.code); }
    store.close();
  });`;

test("another thread of the process is refused as well, and its trying loses nobody the place", async (t) => {
  const { directory, open } = storePlace(t);
  const elsewhere = (): string =>
    execFileSync(process.execPath, ["-e", trying(directory)], { encoding: "utf8" }).trim();
  const store = open();
  store.recoverInterrupted();
  assert.equal(elsewhere(), "STORE_OCCUPIED");

  const thread = new Worker(trying(directory), { eval: true, stdout: true });
  const [[said]] = await Promise.all([once(thread.stdout, "data"), once(thread, "exit")]);
  assert.equal(String(said), "STORE_OCCUPIED\n");
  assert.equal(elsewhere(), "STORE_OCCUPIED");

  store.close();
  assert.equal(elsewhere(), "accepted");
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
