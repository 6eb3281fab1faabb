import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { profile, temporaryDirectory } from "@drydock/testkit";
import { layoutOf, loadControllerKey, loadTrust } from "../home/index.js";

const PROCESSES = 4;
const ROUNDS = 10 * profile.kills;
/** Until all have been told; they wait for it busily, to begin together. */
const TOLD_MS = 20;

test("of processes that begin a state directory at once one makes its keys, and all use them", async (t) => {
  const program = fileURLToPath(new URL("../testing/ensure-state.js", import.meta.url));
  const children = Array.from({ length: PROCESSES }, () => fork(program));
  t.after(() => {
    for (const child of children) child.kill("SIGKILL");
  });
  await Promise.all(children.map((child) => once(child, "message")));
  const directory = temporaryDirectory(t);
  for (let round = 0; round < ROUNDS; round += 1) {
    const state = join(directory, String(round));
    const at = Date.now() + TOLD_MS;
    const said = await Promise.all(
      children.map(async (child) => {
        const answered = once(child, "message");
        child.send({ state, at });
        return (await answered)[0];
      }),
    );
    const layout = layoutOf(state);
    const failed = said.flatMap((one) => one.failed ?? []);
    assert.deepEqual(failed, []);
    assert.equal(said.filter(({ madeKeys }) => madeKeys).length, 1);
    assert.equal(new Set(said.map(({ environmentKey }) => environmentKey)).size, 1);
    assert.deepEqual(
      loadTrust(layout.trust).authorities.map(({ key }) => key.keyId),
      [loadControllerKey(layout).public.keyId],
    );
    assert.deepEqual(
      readdirSync(layout.keys).filter((name) => /lock|new/.test(name)),
      [],
    );
  }
});
