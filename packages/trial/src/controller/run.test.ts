import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { DrydockError, verifyRun } from "@drydock/evidence";
import { runStatus } from "@drydock/ledger";
import { profile, temporaryDirectory } from "@drydock/testkit";
import { loadTrust } from "../home/index.js";
import type { Finished } from "../launcher/lost.js";
import { type TestRun, testRun, type Watch } from "../testing/controller.js";

interface Ending {
  after(fn: () => void): void;
}

/** Fakes answer within a turn; who waits longer waits for time, which is ours to move. */
const STUCK_MS = 150;
const STEP_MS = 10_000;
const MAX_STEPS = 60;

const play = async (
  t: Ending,
  watch: (test: () => TestRun) => Watch,
): Promise<{ readonly finished: Finished; readonly test: TestRun }> => {
  const watching = watch(() => started);
  const started: TestRun = testRun(temporaryDirectory(t), watching);
  started.run.start();
  for (let step = 0; step < MAX_STEPS; step++) {
    const finished = await Promise.race([started.finished, delay(STUCK_MS, null)]);
    if (finished !== null) return { finished, test: started };
    started.timers.advance(STEP_MS);
  }
  throw new Error("the run does not end, whatever time passes");
};

/** Verdict, signed evidence and ledger have to say the same thing, whatever happened. */
const agree = async ({
  finished,
  test: { layout, state, ledger },
}: Awaited<ReturnType<typeof play>>) => {
  const row = await ledger.run("run-1");
  const status = row === null ? null : runStatus(row);
  if (finished.verdict !== null && row !== null) assert.equal(status, finished.verdict);
  if (!existsSync(layout.manifest)) {
    assert.ok(status === null || status === "REFUSED" || status === "INCOMPLETE", String(status));
    assert.ok(finished.verdict === null || finished.verdict === "INCOMPLETE");
    return;
  }
  const report = verifyRun(layout.directory, {
    trust: loadTrust(state.trust),
    now: "2026-11-30T01:00:00.000Z",
  });
  assert.equal(report.integrity, "intact", JSON.stringify(report.findings));
  if (existsSync(layout.verdict)) assert.equal(report.verdict, finished.verdict);
  else assert.notEqual(finished.verdict, "PASS");
  assert.notEqual(row === null ? true : row.outcome !== null || row.holdReason !== null, false);
};

/** Each call that a good run makes, once: the places at which something can happen. */
const callsOfAGoodRun = async (t: Ending): Promise<readonly string[]> => {
  const calls = new Set<string>();
  await play(t, () => (call) => calls.add(call));
  return [...calls];
};

const DISTURBANCES: Readonly<Record<string, (test: TestRun) => void>> = {
  "the user interrupts": ({ run }) => void run.handlers().abort({ reason: "INTERRUPTED" }),
  "a halt": ({ run }) => run.halt(),
  "the port process dies": (test) => test.losePort(),
  "the reaper dies": (test) => test.loseReaper(),
  "the VMM dies": ({ fake }) => fake.die(),
  "the phase takes too long": ({ timers }) => timers.advance(30_000),
  "the wall deadline": ({ timers }) => timers.advance(60_000),
};

/** All of them at each place in soak; one at each place, in turn, otherwise. */
const chosen = (index: number) => {
  const all = Object.entries(DISTURBANCES);
  return profile.name === "soak" ? all : all.slice(index % all.length).slice(0, 1);
};

describe("a run in the controller", () => {
  test("that goes well ends with a verdict that its evidence and the ledger repeat", async (t) => {
    const played = await play(t, () => () => undefined);
    assert.equal(played.finished.verdict, "PASS");
    await agree(played);
    assert.deepEqual(played.finished.findings, []);
    assert.equal(played.test.timers.pending, 0);
  });

  test("ends for evidence that can't be kept, not for the command that this breaks off", async (t) => {
    const played = await play(t, () => (call, when) => {
      if (call === "port.exec" && when === "before") return new Promise(() => undefined);
      if (call !== "port.checkpoint") return undefined;
      throw new DrydockError("LOG_FULL", "no space for the log");
    });
    assert.equal(played.finished.ending, "failed:LOG_FULL");
    assert.equal(played.finished.refusal?.code, "LOG_FULL");
    assert.equal(played.finished.refusal?.message, "no space for the log");
    await agree(played);
  });

  for (const stopped of [true, false])
    test(`a machine that ${stopped ? "a stopped run takes apart" : "lost its doors"} while it is looked at ${stopped ? "is no witness against it" : "isn't what was sealed"}`, async (t) => {
      let looks = 0;
      const played = await play(t, (of) => async (call, when) => {
        if (call !== "port.machine" || when !== "before" || ++looks !== 2) return;
        const { fake, loseReaper } = of();
        if (stopped) loseReaper();
        else await fake.machine.revoke("drydock.control.0");
        while (fake.open.has("drydock.control.0")) await delay(1);
      });
      assert.equal(looks, 2);
      assert.equal(played.finished.verdict, stopped ? "INCOMPLETE" : "FAIL");
      await agree(played);
    });

  for (const when of ["before", "after"] as const)
    test(`whatever happens ${when} any call: it ends, and all that is said of it agrees`, async (t) => {
      const calls = await callsOfAGoodRun(t);
      assert.ok(calls.length >= 25, calls.join());
      for (const [index, at] of calls.entries())
        for (const [what, disturb] of chosen(index)) {
          let met = false;
          const played = await play(t, (of) => (call, now) => {
            if (met || call !== at || now !== when) return;
            met = true;
            disturb(of());
          });
          try {
            assert.ok(met);
            await agree(played);
          } catch (error) {
            throw new Error(`${what} ${when} ${at}: ${(error as Error).message}`, { cause: error });
          }
        }
    });

  for (const fate of ["fails", "never answers"])
    test(`whichever call ${fate}: it ends, and all that is said of it agrees`, async (t) => {
      for (const at of await callsOfAGoodRun(t)) {
        if (at === "launcher.finished" || (at === "launcher.phase" && fate === "never answers"))
          continue;
        const played = await play(t, () => (call, when) => {
          if (call !== at || when !== "before") return undefined;
          if (fate === "never answers") return new Promise(() => undefined);
          throw new DrydockError("FATE", "as decided");
        });
        try {
          await agree(played);
        } catch (error) {
          throw new Error(`${at} ${fate}: ${(error as Error).message}`, { cause: error });
        }
      }
    });
});
