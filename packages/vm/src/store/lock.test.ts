import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { temporaryDirectory } from "@drydock/testkit";
import { acquireLock, tryLock } from "./lock.js";
import { formatOwner, thisProcess } from "./owner.js";

const LOCK_MODULE = fileURLToPath(new URL("lock.js", import.meta.url));

const child = (source: string) =>
  spawn(process.execPath, ["--input-type=module", "-e", source], {
    stdio: ["ignore", "pipe", "inherit"],
  });

/** A process that took the lock and was killed while it held it. */
const deadHolder = async (directory: string, name: string): Promise<void> => {
  const holder = child(
    `import { tryLock } from ${JSON.stringify(LOCK_MODULE)};
     tryLock(${JSON.stringify(directory)}, ${JSON.stringify(name)});
     process.stdout.write("held");
     setInterval(() => undefined, 1000);`,
  );
  await once(holder.stdout, "data");
  holder.kill("SIGKILL");
  await once(holder, "close");
};

const leftOver = (directory: string): string[] => readdirSync(directory);

test("a live holder keeps others out until it releases", (t) => {
  const directory = temporaryDirectory(t);
  const first = tryLock(directory, "a");
  assert.equal(first.kind, "taken");
  assert.deepEqual(tryLock(directory, "a"), { kind: "held", holder: String(process.pid) });
  if (first.kind === "taken") first.lock.release();
  const second = tryLock(directory, "a");
  assert.equal(second.kind, "taken");
  if (second.kind === "taken") second.lock.release();
  assert.deepEqual(leftOver(directory), []);
});

test("a killed holder's lock is recovered", async (t) => {
  const directory = temporaryDirectory(t);
  await deadHolder(directory, "a");
  assert.ok(existsSync(join(directory, "a.lock")));
  const lock = await acquireLock(directory, "a", { patienceMs: 0 });
  lock.release();
  assert.deepEqual(leftOver(directory), []);
});

test("a process id that was given to another process does not hold the lock", (t) => {
  const directory = temporaryDirectory(t);
  const reused = { ...thisProcess(), start: "1" };
  writeFileSync(join(directory, "a.lock"), `${formatOwner(reused)} nonce`);
  const attempt = tryLock(directory, "a");
  assert.equal(attempt.kind, "taken");
  if (attempt.kind === "taken") attempt.lock.release();
  const rebooted = { ...thisProcess(), boot: "00000000-0000-0000-0000-000000000000" };
  writeFileSync(join(directory, "a.lock"), `${formatOwner(rebooted)} nonce`);
  assert.equal(tryLock(directory, "a").kind, "taken");
});

test("patience ends with the holder's process id", async (t) => {
  const directory = temporaryDirectory(t);
  tryLock(directory, "a");
  const waited: string[] = [];
  const options = { patienceMs: 0, onWait: (holder: string) => waited.push(holder) };
  await assert.rejects(acquireLock(directory, "a", options), { code: "STORE_LOCKED" });
  assert.deepEqual(waited, [String(process.pid)]);
});

test("of many processes that recover one dead lock, one at a time holds it", async (t) => {
  const directory = temporaryDirectory(t);
  await deadHolder(directory, "a");
  await contend(t, directory, 6);
  assert.deepEqual(
    leftOver(directory).filter((name) => name.endsWith(".lock")),
    [],
  );
});

/** Each process appends "+" on entry and "-" on exit; two inside at once would show as "++". */
const contend = async (t: TestContext, directory: string, processes: number): Promise<void> => {
  const journal = join(temporaryDirectory(t), "journal");
  const source = `
    import { appendFileSync } from "node:fs";
    import { acquireLock } from ${JSON.stringify(LOCK_MODULE)};
    for (let round = 0; round < 5; round += 1) {
      const lock = await acquireLock(${JSON.stringify(directory)}, "a");
      appendFileSync(${JSON.stringify(journal)}, "+");
      for (let spin = 0; spin < 1e6; spin += 1);
      appendFileSync(${JSON.stringify(journal)}, "-");
      lock.release();
    }`;
  const ends = Array.from({ length: processes }, () => once(child(source), "close"));
  for (const end of await Promise.all(ends)) assert.deepEqual(end, [0, null]);
  assert.equal(readFileSync(journal, "utf8"), "+-".repeat(5 * processes));
};
