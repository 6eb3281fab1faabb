import assert from "node:assert/strict";
import { test } from "node:test";
import { drydock, startDrydock, testState } from "../testing/command-line.js";
import { leftoversOf } from "../testing/leftovers.js";
import { allProcesses, findRun, isZombie, uidOf } from "../testing/live-run.js";
import { onlyRun } from "../testing/round.js";
import { untilTrue } from "../testing/until.js";

/** Nobody is left who could clean up: the kernel ends the processes, the next run does the rest. */
test("launcher and reaper die together: no process survives, and the next run clears and marks", async (t) => {
  const state = testState(t);
  const built = await drydock(["image", "build", "base"], state.environment, t);
  assert.equal(built.code, 0, built.stderr);
  const first = startDrydock(
    ["run", "--", "sh", "-c", "echo up; sleep 1000"],
    state.environment,
    t,
  );
  await first.says("up\n");
  const live = findRun(onlyRun(state), first.child.pid ?? 0);
  const { slot } = live;
  assert.ok(slot);
  for (const role of ["reaper", "launcher"] as const)
    process.kill(live.pids.get(role) ?? 0, "SIGKILL");
  const ended = await untilTrue(
    () =>
      !allProcesses().some(
        (pid) => !isZombie(pid) && ([slot.vmm.uid, slot.port.uid] as number[]).includes(uidOf(pid)),
      ),
    10_000,
    "the processes to end",
  );
  t.diagnostic(`no process after ${Math.round(ended)} ms`);
  assert.notDeepEqual(leftoversOf(live, state), []);

  const next = await drydock(["run", "--", "true"], state.environment, t);
  assert.equal(next.code, 0, next.stderr);
  assert.deepEqual(leftoversOf(live, state), []);
  const listed = await drydock(["trials", "list", "--json"], state.environment, t);
  const { runs } = JSON.parse(listed.stdout) as { runs: { run: string; status: string }[] };
  assert.equal(runs.find(({ run }) => run === live.run)?.status, "INCOMPLETE");
});
