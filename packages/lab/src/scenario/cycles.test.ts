import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { temporaryDirectory } from "@drydock/testkit";
import { namespaceIdentity } from "../appliance/index.js";
import type { Cycle } from "./testing/cycles.js";

const PROGRAM = fileURLToPath(new URL("./testing/cycles.js", import.meta.url));
const CYCLES = 25;

test("25 cycles in a row change one field and nothing else, and leave nothing changed", async (t) => {
  const given = { starter: namespaceIdentity(), directory: temporaryDirectory(t), cycles: CYCLES };
  const child = spawn("unshare", ["--net", process.execPath, PROGRAM, JSON.stringify(given)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const printed = Buffer.concat(await child.stdout.toArray()).toString();
  const { done, phases } = JSON.parse(printed) as {
    readonly done: readonly Cycle[];
    readonly phases: readonly string[];
  };
  assert.equal(done.length, CYCLES);
  const [first] = done;
  for (const { state, before, changed, changedButForTheField, rolledBack } of done) {
    assert.equal(state, "ROLLED_BACK");
    assert.notEqual(changed, before);
    assert.equal(changedButForTheField, before);
    assert.equal(rolledBack, before);
    // Also over all of them: nothing adds up.
    assert.equal(before, first?.before);
  }
  const sends = (phase: string) => phases.filter((one) => one === phase).length;
  assert.deepEqual([sends("mutation"), sends("rollback")], [CYCLES, CYCLES]);
});
