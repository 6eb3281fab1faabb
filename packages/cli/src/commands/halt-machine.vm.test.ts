import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { testHome } from "../testing/home.js";
import { whatIsLeft } from "../testing/left.js";
import { machineOfItsOwn } from "../testing/machine.js";
import { codesOf, summaryOf } from "../testing/summary.js";

test("halt on --machine stops a run of another state directory; halt on leaves it alone", async (t) => {
  const wrapper = await machineOfItsOwn(t);
  const [mine, other] = [testHome(t), testHome(t)];
  await other.buildBase();
  const live = other.start(["run", "--json", "-i", "--", "sh", "-c", "echo up; cat; sleep 600"], {
    wrapper,
  });
  await live.says("up");

  const own = await mine.run(["halt", "on", "--json", "--reason", "mine alone"], { wrapper });
  assert.equal(own.code, 0, own.stderr);
  assert.deepEqual(JSON.parse(own.stdout).stopped, []);
  live.child.stdin?.write("still here\n");
  await live.says("still here");

  const all = await mine.run(["halt", "on", "--machine", "--json", "--reason", "fire"], {
    wrapper,
  });
  assert.equal(all.code, 0, all.stderr);
  const { stopped, notStopped } = JSON.parse(all.stdout);
  assert.deepEqual(await whatIsLeft(other), [], "nothing of it lives when halt on has returned");
  const ended = await live.ended;
  assert.equal(ended.code, 122, ended.stderr);
  const summary = summaryOf(ended);
  assert.deepEqual([stopped, notStopped], [[summary.run], []]);
  assert.deepEqual([summary.verdict, codesOf(summary)[0]], ["INCOMPLETE", "RUN_STOPPED"]);
  assert.match(summary.findings[0]?.message ?? "", /halted/);

  // It holds for the other home from now on, and on this machine alone.
  const refused = await other.run(["run", "--json", "--", "true"], { wrapper });
  assert.equal(refused.code, 126, refused.stderr);
  assert.match(refused.stderr, /\/etc\/drydock\/halt.*fire/);
  assert.equal(existsSync("/etc/drydock/halt"), false);
  const elsewhere = await other.run(["run", "--json", "--", "true"]);
  assert.equal(elsewhere.code, 0, elsewhere.stderr);
});
