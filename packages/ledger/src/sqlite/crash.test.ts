import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { profile, temporaryDirectory } from "@drydock/testkit";
import { NOTHING } from "../resources/vector.js";
import { CEILING } from "../testing/arbitrary.js";
import { openSqliteLedger } from "./store.js";

const CHILD = fileURLToPath(new URL("../testing/crash-child.js", import.meta.url));

/** Kills the child right after its n-th acknowledgement, whatever it is doing then. */
const killAfter = async (path: string, name: string, count: number): Promise<number> => {
  const child = spawn(process.execPath, [CHILD, path, name], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let acknowledged = 0;
  child.stdout.on("data", (bytes: Buffer) => {
    acknowledged += bytes.length;
    if (acknowledged >= count) child.kill("SIGKILL");
  });
  await once(child, "close");
  assert.equal(child.signalCode, "SIGKILL");
  return acknowledged;
};

test("kill -9 at any point leaves a prefix: what was acknowledged is there, at most one step more", async (t) => {
  const path = join(temporaryDirectory(t), "ledger");
  const open = () =>
    openSqliteLedger({
      path,
      ceiling: CEILING,
      clock: Date.now,
      readHalt: () => ({ halted: false, generation: 0 }),
    });
  let before = 0;
  for (let round = 0; round < Math.max(8, profile.kills); round += 1) {
    // Each round ends in another one of the five steps of a run.
    const acknowledged = await killAfter(path, `c${round}`, 1 + round * 3);
    const ledger = open();
    const { movements, findings } = await ledger.audit();
    assert.deepEqual(findings, []);
    const written = movements - before;
    assert.ok(written === acknowledged || written === acknowledged + 1, `${written} written`);

    // Recovery: whoever was open is marked, and nothing stays taken.
    for (const row of await ledger.runs({ open: true })) {
      await ledger.markIncomplete(row.run, "OWNER_GONE", { gone: true });
    }
    const after = await ledger.audit();
    assert.deepEqual(after.findings, []);
    assert.deepEqual(after.committed, NOTHING);
    assert.deepEqual(await ledger.runs({ open: true }), []);
    before = after.movements;
    ledger.close();
  }
});
