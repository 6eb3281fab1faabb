import assert from "node:assert/strict";
import { test } from "node:test";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import type { Task, TaskKind } from "./effect.js";
import type { LifecycleEvent, TaskResult } from "./event.js";
import { ORDERLY_PHASES, type Phase } from "./phase.js";
import { MAX_CONCURRENT_COMMANDS } from "./plan.js";
import { goodAnswer, World } from "./testing/world.js";

const started = (channels?: readonly string[]): World => {
  const world = new World(channels);
  world.send({ type: "start" });
  return world;
};

const driving = (): World => {
  const world = started();
  world.runTo();
  assert.equal(world.state.waiting.kind, "commands");
  return world;
};

const phases = (world: World): readonly Phase[] =>
  world.trace.flatMap((effect) => (effect.kind === "enterPhase" ? [effect.phase] : []));

test("a run goes through the sixteen phases in order and settles once", () => {
  const world = driving();
  world.send({ type: "command", command: "c1", verb: "exec" });
  world.runToEnd();
  assert.deepEqual(phases(world), ORDERLY_PHASES);
  assert.equal(world.state.verdict, "PASS");
  assert.equal(world.state.settlement, "settle");
  assert.equal(world.kinds().at(-1), "disarmReaper");
});

test("phases before the log are recorded once it is open", () => {
  const world = driving();
  world.runToEnd();
  const recorded = world.trace.flatMap((effect) =>
    effect.kind === "record" && effect.record.type === "phase"
      ? [`${effect.record.decision} ${effect.record.name}`]
      : [],
  );
  const expected = ORDERLY_PHASES.flatMap((name) =>
    name === "INJECT"
      ? [`entered ${name}`, `skipped ${name}`, `left ${name}`]
      : [`entered ${name}`, `left ${name}`],
  );
  assert.deepEqual(recorded, expected.slice(0, -1));
});

test("a command is looked at under halt, dispatched, and DRIVE waits for it", () => {
  const world = driving();
  world.send({ type: "command", command: "c1", verb: "put" });
  world.send({ type: "finish" });
  const check = world.runTo("checkHalt");
  world.answer(check);
  const command = world.runTo("command");
  assert.deepEqual(world.out.get(command), { kind: "command", command: "c1", verb: "put" });
  assert.equal(world.state.phase, "DRIVE");
  world.answer(command);
  assert.equal(world.state.phase, "OBSERVE");
});

test("commands are refused outside DRIVE, twice under one id, and beyond the limit", () => {
  const codes = (world: World): readonly string[] =>
    world.trace.flatMap((effect) => (effect.kind === "rejectCommand" ? [effect.code] : []));
  const early = started();
  early.send({ type: "command", command: "c", verb: "exec" });
  assert.deepEqual(codes(early), ["NOT_DRIVING"]);

  const world = driving();
  for (let i = 0; i < MAX_CONCURRENT_COMMANDS; i += 1) {
    world.send({ type: "command", command: `c${i}`, verb: "exec" });
  }
  assert.deepEqual(codes(world), []);
  world.send({ type: "command", command: "c0", verb: "exec" });
  world.send({ type: "command", command: "more", verb: "exec" });
  assert.deepEqual(codes(world), ["DUPLICATE_COMMAND", "TOO_MANY_COMMANDS"]);
  world.send({ type: "finish" });
  world.send({ type: "command", command: "late", verb: "exec" });
  assert.equal(codes(world).at(-1), "NOT_DRIVING");
});

test("a cancelled command is called back, and the run goes on", () => {
  const world = driving();
  world.send({ type: "command", command: "c1", verb: "exec" });
  world.answer(world.runTo("checkHalt"));
  const id = world.runTo("command");
  world.send({ type: "cancelCommand", command: "c1" });
  assert.deepEqual(world.trace.at(-1), { kind: "cancelTask", id });
  world.runToEnd();
  assert.equal(world.state.verdict, "PASS");
});

const STOPPERS: Readonly<Record<string, LifecycleEvent>> = {
  "the wall deadline": { type: "deadline", which: "wall" },
  "the idle deadline": { type: "deadline", which: "idle" },
  "a guest that is gone": { type: "guest", what: "exited", code: "POWERED_OFF" },
  "a guest that lies in frames": { type: "guest", what: "violation", code: "FRAME_LEASE" },
  "an abort": { type: "abort", reason: "SIGINT" },
  "a halt": { type: "halt" },
  "a receipt that can't be written": { type: "evidenceFailed", code: "LOG_FULL" },
};

for (const [what, event] of Object.entries(STOPPERS)) {
  test(`${what} kills: doors first, then the guest, and never PASS`, () => {
    const world = driving();
    const before = world.kinds().length;
    world.send(event);
    world.runToEnd();
    assert.deepEqual(phases(world).slice(-2), ["KILLING", "DESTROY"]);
    assert.deepEqual(world.kinds().slice(before, before + 5), [
      "revokeChannels",
      "checkpoint",
      "stopGuest",
      "measureUsage",
      "destroySlot",
    ]);
    assert.equal(world.state.verdict, "INCOMPLETE");
    assert.equal(world.state.settlement, "settle");
  });
}

test("before BOOT there is nothing to kill: the slot goes, the reservation is released", () => {
  const world = started();
  world.runTo("stageFiles");
  world.send({ type: "abort", reason: "SIGINT" });
  world.runToEnd();
  assert.ok(!phases(world).includes("KILLING"));
  assert.ok(world.kinds().includes("destroySlot"));
  assert.equal(world.state.settlement, "release");
});

test("bad input ends before there is a log: no verdict, no slot, the code in the ledger", () => {
  const world = started();
  world.answer(world.runTo("sealSource"), { ok: false, code: "SEAL_REF_MISSING" });
  world.runToEnd();
  assert.equal(world.state.verdict, null);
  const conclude = world.tasks().find((task) => task.kind === "conclude");
  assert.deepEqual(conclude?.outcome, { kind: "refused", code: "SEAL_REF_MISSING" });
  assert.ok(!world.kinds().includes("endLog"));
  assert.ok(!world.kinds().includes("destroySlot"));
});

test("a halt that came and went since the reservation stops the next dispatch", () => {
  for (const before of ["boot", "grant:bulk.0", "grant:egress.0", "dispatch:exec"]) {
    for (const [reading, allowed] of [
      [{ halted: false, generation: 3 }, true],
      [{ halted: true, generation: 4 }, false],
      [{ halted: false, generation: 5 }, false],
    ] as const) {
      const world = started();
      let asked = false;
      while (!world.state.done) {
        const [first] = world.out;
        if (first === undefined) {
          world.send({ type: "command", command: "c", verb: "exec" });
          world.send({ type: "finish" });
          continue;
        }
        const [id, task] = first;
        const here = task.kind === "checkHalt" && task.before === before;
        asked ||= here;
        world.answer(id, here ? { ok: true, value: { kind: "halt", reading } } : undefined);
      }
      assert.ok(asked, before);
      assert.equal(world.state.ending?.kind, allowed ? "completed" : "halted", before);
    }
  }
});

test("a body that isn't seen to be gone is held, the reaper stays armed, and it is UNCERTAIN", () => {
  const world = driving();
  world.send({ type: "finish" });
  world.answer(world.runTo("destroySlot"), { ok: true, value: { kind: "destroyed", gone: false } });
  world.runToEnd();
  assert.equal(world.state.settlement, "hold");
  assert.equal(world.state.verdict, "UNCERTAIN");
  assert.ok(!world.kinds().includes("disarmReaper"));
});

test("a VMM that may still come up after everything was destroyed is held", () => {
  const world = started();
  world.runTo("spawnVmm");
  world.send({ type: "abort", reason: "SIGINT" });
  for (;;) {
    const next = [...world.out].find(([, task]) => task.kind !== "spawnVmm");
    if (next === undefined) break;
    world.answer(next[0]);
  }
  assert.equal(world.state.waiting.kind, "quiet");
  world.send({ type: "deadline", which: "ending" });
  world.runToEnd();
  assert.equal(world.state.settlement, "hold");
  assert.equal(world.state.verdict, "UNCERTAIN");
});

test("a VMM that comes up after it was killed is killed again before the slot goes", () => {
  const world = started();
  const spawn = world.runTo("spawnVmm");
  world.send({ type: "abort", reason: "SIGINT" });
  for (const kind of ["revokeChannels", "checkpoint", "stopGuest", "measureUsage"] as const) {
    const id = [...world.out].find(([, task]) => task.kind === kind)?.[0];
    assert.ok(id, kind);
    world.answer(id);
  }
  world.answer(spawn);
  assert.deepEqual([...world.out.values()], [{ kind: "stopGuest", mode: "kill" }]);
  world.runToEnd();
  assert.equal(world.state.settlement, "settle");
});

test("a grant that arrives after the doors were shut is revoked again", () => {
  const world = started();
  let grant = world.runTo("grantChannel");
  world.answer(grant);
  grant = world.runTo("grantChannel");
  world.send({ type: "halt" });
  world.answer(grant);
  world.runToEnd();
  const revokes = world.kinds().filter((kind) => kind === "revokeChannels");
  assert.equal(revokes.length, 2);
});

test("what was granted and shut at QUIESCE isn't open when the end is attested", () => {
  const world = driving();
  world.runToEnd();
  const attested = world.tasks().flatMap((task) => (task.kind === "attest" ? [task.channels] : []));
  assert.deepEqual(attested.at(-1), ["drydock.control.0", "bulk.0"]);
  const shut = world.kinds().indexOf("revokeChannel");
  assert.ok(shut < world.kinds().indexOf("collectArtifacts"));
});

test("a settlement that fails is no settlement", () => {
  const world = driving();
  world.send({ type: "finish" });
  world.answer(world.runTo("settle"), { ok: false, code: "LEDGER_BUSY" });
  world.runToEnd();
  assert.equal(world.state.settlement, "hold");
  assert.equal(world.state.verdict, "UNCERTAIN");
});

const disturbance: fc.Arbitrary<LifecycleEvent> = fc.oneof(
  fc.constantFrom<LifecycleEvent>(
    ...Object.values(STOPPERS),
    { type: "start" },
    { type: "finish" },
    { type: "deadline", which: "ending" },
    { type: "deadline", which: "phase" },
    { type: "cancelCommand", command: "c1" },
    { type: "task", id: 999, result: { ok: true, value: { kind: "none" } } },
  ),
  fc.record({
    type: fc.constant("command" as const),
    command: fc.constantFrom("c1", "c2", "c3"),
    verb: fc.constantFrom("exec" as const, "put" as const, "get" as const),
  }),
);

const answerKind = fc.oneof(
  { weight: 40, arbitrary: fc.constant("good" as const) },
  { weight: 1, arbitrary: fc.constantFrom("bad" as const, "halted" as const, "changed" as const) },
);

const move = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({ pick: fc.nat(7), how: answerKind }).map((answer) => ({ answer })),
  },
  { weight: 1, arbitrary: disturbance.map((event) => ({ event })) },
);

const resultFor = (task: Task, how: "good" | "bad" | "halted" | "changed"): TaskResult => {
  if (how === "bad") return { ok: false, code: "BAD" };
  if (how === "good") return goodAnswer(task);
  if (task.kind === "checkHalt") {
    const reading = { halted: how === "halted", generation: 4 };
    return { ok: true, value: { kind: "halt", reading } };
  }
  if (task.kind === "destroySlot") {
    return { ok: true, value: { kind: "destroyed", gone: how === "changed" } };
  }
  if (task.kind === "deriveVerdict") {
    return { ok: true, value: { kind: "verdict", verdict: "FAIL" } };
  }
  return { ok: true, value: { kind: "none" } };
};

test("in whatever order answers, failures and disturbances come, every rule holds and it ends", () => {
  const reached = new Set<TaskKind>();
  fc.assert(
    fc.property(
      fc.array(move, { maxLength: 90 }),
      fc.boolean(),
      fc.boolean(),
      (moves, late, silent) => {
        const world = late ? driving() : started();
        for (const one of moves) {
          if ("event" in one) world.send(one.event);
          else {
            const tasks = [...world.out];
            const chosen = tasks[one.answer.pick % Math.max(1, tasks.length)];
            if (chosen === undefined) continue;
            world.answer(chosen[0], resultFor(chosen[1], one.answer.how));
          }
        }
        // Fairness is either that what is out gets answered, or that the timers fire.
        if (silent) {
          world.send({ type: "abort", reason: "SILENCE" });
          for (let i = 0; i < 60 && !world.state.done; i += 1) {
            world.send({ type: "deadline", which: "ending" });
          }
          assert.ok(world.state.done, "timers alone don't end it");
        }
        world.runToEnd();
        for (const kind of world.kinds()) reached.add(kind);
      },
    ),
    { numRuns: profile.fuzz * 5, seed: profile.seed },
  );
  // The property means nothing if the runs never get far.
  for (const kind of ["command", "collectArtifacts", "disarmReaper"] as const) {
    assert.ok(reached.has(kind), `no run reached ${kind}`);
  }
});

test("each task, failing or disturbed at, still leads to the end with every rule kept", () => {
  const script = (): World => {
    const world = started();
    world.runTo();
    world.send({ type: "command", command: "c1", verb: "exec" });
    world.runToEnd();
    return world;
  };
  const count = script().kinds().length;
  for (let at = 0; at < count; at += 1) {
    for (const disturb of [null, ...Object.values(STOPPERS)]) {
      const world = started();
      for (let answered = 0; !world.state.done; ) {
        const [first] = world.out;
        if (first === undefined) {
          world.send({ type: "command", command: "c1", verb: "exec" });
          world.send({ type: "finish" });
          if (world.out.size === 0) break;
          continue;
        }
        if (answered === at && disturb !== null) {
          answered += 1;
          world.send(disturb);
          continue;
        }
        const bad: TaskResult = { ok: false, code: "BAD" };
        world.answer(first[0], answered === at && disturb === null ? bad : undefined);
        answered += 1;
      }
      world.runToEnd();
    }
  }
});
