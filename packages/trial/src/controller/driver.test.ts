import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { DrydockError, type Event } from "@drydock/evidence";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import type { LifecycleResult, Phase, Task, TaskKind, TaskValue } from "../lifecycle/index.js";
import { fakeTimers } from "../testing/timers.js";
import { Driver } from "./driver.js";

const MANIFEST = `sha256:${"a".repeat(64)}` as const;
const SECONDS = 1000;
const PHASES = [
  ...["PLAN", "SEAL", "APPROVE", "RESERVE", "STAGE", "BOOT", "ATTEST", "HANDSHAKE", "INJECT"],
  ...["OBSERVE", "QUIESCE", "COLLECT", "VERIFY", "SETTLE", "DESTROY"],
];
const PLAN = {
  quiesced: [],
  channels: ["drydock.bulk.0"],
  deadlines: {
    wall: 60 * SECONDS,
    idle: null,
    phase: Object.fromEntries(PHASES.map((phase) => [phase, 30 * SECONDS])) as never,
    ending: 10 * SECONDS,
  },
};

const answerOf = (task: Task): TaskValue => {
  switch (task.kind) {
    case "sealSource":
      return { kind: "sealed", manifest: MANIFEST };
    case "checkHalt":
      return { kind: "halt", reading: { halted: false, generation: 0 } };
    case "reserve":
      return { kind: "reserved", haltGeneration: 0 };
    case "destroySlot":
      return { kind: "destroyed", gone: true };
    case "deriveVerdict":
      return { kind: "verdict", verdict: "PASS" };
    default:
      return { kind: "none" };
  }
};

type Perform = (task: Task) => Promise<TaskValue>;

const drive = (perform: Perform, record: (event: Event) => void = () => undefined) => {
  const timers = fakeTimers();
  const asked: TaskKind[] = [];
  const phases: Phase[] = [];
  let result: LifecycleResult | null = null;
  let ends = 0;
  const driver = new Driver(
    PLAN,
    {
      perform: (task) => {
        asked.push(task.kind);
        return perform(task);
      },
      record,
      entered: (phase) => void phases.push(phase),
      ready: () => driver.dispatch({ type: "finish" }),
      reject: () => undefined,
      cancelled: () => undefined,
      done: (ended) => {
        result = ended;
        ends += 1;
      },
    },
    timers,
  );
  driver.dispatch({ type: "start" });
  return {
    driver,
    timers,
    asked,
    phases,
    get result() {
      return result;
    },
    get ends() {
      return ends;
    },
  };
};

const turns = async (count = 200): Promise<void> => {
  for (let i = 0; i < count; i++) await Promise.resolve();
};

describe("the driver", () => {
  test("performs what the lifecycle asks, one after another, to a verdict", async () => {
    const run = drive(async (task) => answerOf(task));
    await turns();
    assert.equal(run.result?.verdict, "PASS");
    assert.equal(run.phases.at(0), "PLAN");
    assert.equal(run.phases.at(-1), "DESTROY");
    assert.ok(run.asked.indexOf("revokeChannels") < run.asked.indexOf("stopGuest"));
    assert.equal(run.timers.pending, 0);
  });

  test("keeps the first refusal, with its fix, and asks for no body after it", async () => {
    const run = drive(async (task) => {
      if (task.kind === "reserve")
        throw new DrydockError("LEDGER_OVER_CEILING", "too much", { fix: "Wait." });
      if (task.kind === "compareSource") throw new Error("later");
      return answerOf(task);
    });
    await turns();
    assert.deepEqual(run.driver.refusal, {
      code: "LEDGER_OVER_CEILING",
      message: "too much",
      fix: "Wait.",
    });
    assert.equal(run.asked.includes("spawnVmm"), false);
    assert.equal(run.result?.ending.kind, "failed");
  });

  test("an error that isn't ours becomes INTERNAL with its stack, or its system code", async () => {
    const plain = drive(async () => {
      throw new Error("boom");
    });
    await turns();
    assert.equal(plain.driver.refusal?.code, "INTERNAL");
    assert.match(plain.driver.refusal?.message ?? "", /boom\n[\s\S]*driver\.test/);
    const system = drive(async () => {
      throw Object.assign(new Error("no space"), { code: "ENOSPC" });
    });
    await turns();
    assert.equal(system.driver.refusal?.code, "ENOSPC");
  });

  test("a receipt that can't be written ends the run", async () => {
    let writes = 0;
    const run = drive(
      async (task) => answerOf(task),
      () => {
        writes += 1;
        if (writes === 3) throw new DrydockError("LOG_WRITE", "disk full");
      },
    );
    await turns();
    assert.equal(run.driver.refusal?.code, "LOG_WRITE");
    assert.notEqual(run.result?.verdict, "PASS");
  });

  test("an ending that isn't answered goes on after its deadline", async () => {
    const never = new Promise<TaskValue>(() => undefined);
    const run = drive((task) =>
      task.kind === "stopGuest" ? never : Promise.resolve(answerOf(task)),
    );
    await turns();
    assert.equal(run.ends, 0);
    run.timers.advance(10 * SECONDS);
    await turns();
    assert.equal(run.result?.verdict, "INCOMPLETE");
    assert.ok(run.result?.doubts.some((doubt) => doubt.startsWith("UNANSWERED")));
    assert.equal(run.timers.pending, 0);
  });

  test("whatever fails or never answers: it ends once, asks for nothing after it, and no PASS", async () => {
    const fate = fc.constantFrom("fails", "hangs");
    const kinds: readonly TaskKind[] = [
      ...(["armReaper", "propose", "sealSource", "openLog", "appendJournal", "reserve"] as const),
      ...(["createSlot", "spawnVmm", "attest", "grantChannel", "handshake", "observe"] as const),
      ...(["collectArtifacts", "revokeChannels", "stopGuest", "destroySlot", "settle"] as const),
      ...(["endLog", "deriveVerdict", "conclude"] as const),
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.constantFrom(...kinds), fate, { minKeys: 1 }),
        async (fates) => {
          const run = drive((task) => {
            const what = fates[task.kind];
            if (what === "hangs") return new Promise(() => undefined);
            return what === "fails"
              ? Promise.reject(new DrydockError("FATE", "as decided"))
              : Promise.resolve(answerOf(task));
          });
          for (let i = 0; i < 40 && run.result === null; i++) {
            await turns();
            run.driver.dispatch({ type: "deadline", which: "phase" });
            run.timers.advance(10 * SECONDS);
          }
          await turns();
          assert.equal(run.ends, 1);
          assert.equal(run.timers.pending, 0);
          if (Object.keys(fates).some((kind) => kind !== "conclude"))
            assert.notEqual(run.result?.verdict, "PASS");
          const asked = run.asked.length;
          run.driver.dispatch({ type: "finish" });
          assert.equal(run.asked.length, asked);
        },
      ),
      { seed: profile.seed, numRuns: Math.min(profile.fuzz, 5_000) },
    );
  });
});
