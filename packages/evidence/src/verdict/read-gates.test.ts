import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryDirectory } from "@drydock/testkit";
import { writeRun } from "../testing/run-fixture.js";
import { readGates } from "./read-gates.js";

test("the gates are those that were signed; without a verdict there are none", (t) => {
  const directory = temporaryDirectory(t);
  const { conclusion } = writeRun(directory);
  assert.ok((conclusion?.gates.length ?? 0) > 5);
  assert.deepEqual(readGates(directory), conclusion?.gates);
  rmSync(join(directory, "verdict.dsse.json"));
  assert.deepEqual(readGates(directory), []);
});

test("a verdict that can't be read is an error", (t) => {
  const directory = temporaryDirectory(t);
  writeRun(directory);
  writeFileSync(join(directory, "verdict.dsse.json"), "{}");
  assert.throws(() => readGates(directory), { message: /missing key "payload"/ });
});
