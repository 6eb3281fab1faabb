import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { profile } from "@drydock/testkit";
import { drydock, type Running, startDrydock, testState } from "../testing/command-line.js";
import type { Gate } from "../testing/gate.js";
import { findRun, type Role } from "../testing/live-run.js";
import { LOSSES, statusesAfter } from "../testing/places.js";
import { type Loss, lose, nameOf, onlyRun } from "../testing/round.js";

/** Well beyond the ten seconds that the controller waits for an answer. */
const HUNG_AFTER_MS = 60_000;

/** Eleven of them, each process at least once, spread over the phases. */
const FEW: readonly Loss[] = [
  find("controller", "after", "propose"),
  find("launcher", "after", "sealSource"),
  find("reaper", "before", "reserve"),
  find("port", "after", "stageFiles"),
  find("launcher", "after", "spawnVmm"),
  find("controller", "before", "attest"),
  find("vmm", "before", "handshake"),
  { victim: "port", at: "drive" },
  { victim: "controller", at: "drive", signal: "SIGSTOP" },
  find("controller", "after", "deriveVerdict"),
  find("controller", "after", "conclude"),
];

function find(victim: Role, when: Gate["when"], task: Gate["task"]): Loss {
  const found = LOSSES.find(
    ({ victim: role, at }) =>
      role === victim && at !== "drive" && at.when === when && at.task === task,
  );
  assert.ok(found);
  return found;
}

/** The quick profile has its ten; soak draws its thousand from all there are. */
const rounds = (): readonly Loss[] => {
  if (profile.name === "quick") return FEW;
  let state = profile.seed >>> 0;
  return Array.from({ length: profile.kills * FEW.length }, () => {
    // The constants of Numerical Recipes: reproducible is all that it has to be.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const loss = LOSSES[Math.floor((state / 2 ** 32) * LOSSES.length)];
    assert.ok(loss);
    return loss;
  });
};

describe("losing a process", () => {
  let bystander: Running;
  const endings: (() => unknown)[] = [];
  const afterAll = { after: (ending: () => unknown) => endings.push(ending) };

  before(async () => {
    const { environment } = testState(afterAll);
    const built = await drydock(["image", "build", "base"], environment, afterAll);
    assert.equal(built.code, 0, built.stderr);
    const soak = profile.name === "soak" ? ["--timeout", "24h"] : [];
    const command = ["run", "--stdin", "--json", ...soak, "--", "cat"];
    bystander = startDrydock(command, environment, afterAll);
    bystander.child.stdin?.write("here\n");
    await bystander.says("here\n");
  });

  after(async () => {
    for (const ending of endings.reverse()) await ending();
  });

  for (const [index, loss] of rounds().entries()) {
    const expected = statusesAfter(loss);
    test(`${index + 1}. ${nameOf(loss)}: nothing is left, and the run is ${expected.join(" or ")}`, async (t) => {
      const { status, verified, evidence, clearedMs, ended } = await lose(loss, t);
      t.diagnostic(`cleared after ${Math.round(clearedMs)} ms`);
      assert.ok(
        expected.some((one) => one === status),
        status,
      );
      const passes = verified.ok && verified.verdict === "PASS";
      assert.equal(passes, status === "PASS", JSON.stringify(verified));
      // Logs end where they end, but what they hold is whole; without a manifest there are none.
      assert.equal(verified.integrity, "intact", JSON.stringify(verified));
      assert.equal(verified.verdict, status === "PASS" ? "PASS" : "INCOMPLETE");
      if (!existsSync(`${evidence}/manifest.json`))
        assert.ok(existsSync(`${evidence}/incomplete.json`));
      // Whoever lives to say something of the run says what its evidence says.
      const [, told] = /^verdict {2}([A-Z]+)/m.exec(ended.stderr) ?? [];
      assert.equal(told, loss.victim === "launcher" ? undefined : verified.verdict, ended.stderr);
    });
  }

  test("a reaper that hangs keeps neither the run nor its launcher from ending", async (t) => {
    const state = testState(t);
    const running = startDrydock(
      ["run", "--", "sh", "-c", "echo up; sleep 1"],
      state.environment,
      t,
    );
    await running.says("up\n");
    const { pids } = findRun(onlyRun(state), running.child.pid ?? 0);
    const reaper = pids.get("reaper");
    assert.ok(reaper !== undefined);
    process.kill(reaper, "SIGSTOP");
    const late = setTimeout(() => running.child.kill("SIGKILL"), HUNG_AFTER_MS);
    await once(running.child, "exit");
    clearTimeout(late);
    // It holds the end of stderr that its launcher had.
    process.kill(reaper, "SIGKILL");
    const { code, stderr } = await running.ended;
    // The controller held every deadline before it.
    assert.equal(code, 0, stderr);
    assert.match(stderr, /^verdict {2}PASS/m);
  });

  test("a run beside all of these was not touched", async () => {
    bystander.child.stdin?.end("and there\n");
    const { code, stdout, stderr } = await bystander.ended;
    assert.equal(code, 0, stderr);
    assert.match(stderr, /and there/);
    assert.match(stdout, /"verdict":"PASS"/);
  });
});
