import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { digestOf } from "../digest/digest.js";
import { openLog } from "../log/writer.js";
import { testClock } from "../testing/clock.js";
import { testKey } from "../testing/keys.js";
import { MemoryFile } from "../testing/memory-file.js";
import { readRefusals } from "./refusals.js";

const NOTHING_ELSE = {
  ...{ form: "connect", protocol: "none", line: 0, addresses: 0, addressClass: "", address: "" },
  ...{ queries: 0, answer: "none", answerAgeMs: 0, lookupMs: 0, connectMs: 0 },
};

/** A run's directory with the log of a broker that decided like this. */
const runWith = (t: TestContext, decisions: readonly (readonly [string, string])[]): string => {
  const files = { log: new MemoryFile(), checkpoints: new MemoryFile() };
  const log = openLog({
    ...{
      run: "run-1",
      role: "egress",
      manifest: digestOf(Buffer.from("m")),
      key: testKey("egress"),
    },
    ...{ clock: testClock("2026-11-30T00:00:00.000Z"), nonce: Buffer.alloc(8, 1) },
    ...files,
  });
  for (const [connection, [authority, reason]] of decisions.entries())
    log.append({
      type: "egress.decision",
      decision: reason === "GRANTED" ? "granted" : "refused",
      measurements: { ...NOTHING_ELSE, connection, authority, reason },
    });
  const directory = mkdtempSync(join(tmpdir(), "drydock-refusals-"));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  mkdirSync(join(directory, "logs"));
  writeFileSync(join(directory, "logs/egress.jsonl"), files.log.bytes);
  return directory;
};

test("what was refused is told by name and reason, in the order of asking, with how often", (t) => {
  const directory = runWith(t, [
    ["a.example:443", "GRANTED"],
    ["b.example:443", "AUTHORITY_NOT_GRANTED"],
    ["a.example:80", "PORT_NOT_GRANTED"],
    ["b.example:443", "AUTHORITY_NOT_GRANTED"],
  ]);
  assert.deepEqual(readRefusals(directory), [
    { authority: "b.example:443", reason: "AUTHORITY_NOT_GRANTED", count: 2 },
    { authority: "a.example:80", reason: "PORT_NOT_GRANTED", count: 1 },
  ]);
  assert.deepEqual(readRefusals(runWith(t, [["a.example:443", "GRANTED"]])), []);
});

test("a run without a broker refused nothing; a link in its log's place isn't followed", (t) => {
  const directory = runWith(t, []);
  rmSync(join(directory, "logs/egress.jsonl"));
  assert.deepEqual(readRefusals(directory), []);
  symlinkSync("/etc/hostname", join(directory, "logs/egress.jsonl"));
  assert.throws(() => readRefusals(directory), { code: "FILE_UNSAFE" });
});
