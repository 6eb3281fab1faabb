import assert from "node:assert/strict";
import { chownSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { type Ledger, NOTHING, type OwnerWitness, openSqliteLedger } from "@drydock/ledger";
import { temporaryDirectory } from "@drydock/testkit";
import {
  addSlotOwner,
  allocateSlot,
  CONTROLLER_UID,
  destroySlot,
  identifyProcess,
  readBootId,
} from "@drydock/vm";
import { layoutOf, runLayout, type StateLayout } from "../home/index.js";
import { giveUpDeadRuns, giveUpRun, recoverRuns, scratchOf, sweepMachine } from "./index.js";

interface Ending {
  after(fn: () => unknown): void;
}

const NOW = new Date("2026-11-30T00:00:00Z");
const OTHER_BOOT = "00000000-0000-4000-8000-000000000000";

const self = (): OwnerWitness => {
  const identity = identifyProcess(process.pid);
  assert.ok(identity);
  return { bootId: readBootId(), pid: identity.pid, startTicks: identity.startTime };
};
const dead: Readonly<Record<string, () => OwnerWitness>> = {
  "of an earlier boot": () => ({ ...self(), bootId: OTHER_BOOT }),
  "whose number another process has now": () => ({ ...self(), startTicks: 1 }),
  "that is gone": () => ({ ...self(), pid: 2 ** 22 - 1 }),
};

interface TestState {
  readonly layout: StateLayout;
  readonly ledger: Ledger;
}

const open = (t: Ending): TestState => {
  const layout = layoutOf(temporaryDirectory(t as { after(fn: () => void): void }));
  mkdirSync(layout.runs, { mode: 0o700 });
  const ledger = openSqliteLedger({
    path: layout.ledger,
    ceiling: { ...NOTHING, liveBodies: 9 },
    readHalt: () => ({ halted: false, generation: 0 }),
    clock: () => NOW.getTime(),
  });
  t.after(() => ledger.close());
  return { layout, ledger };
};

/** A run whose controller got as far as a body. */
const begin = async ({ layout, ledger }: TestState, run: string, owner: OwnerWitness) => {
  const { row } = await ledger.propose({
    ...{ run, key: run, request: `sha256:${"1".repeat(64)}`, title: "true" },
    ...{ evidence: `runs/${run}`, owner, holder: "controller", leaseMillis: 60_000 },
  });
  const actor = { run, generation: row.lease.generation };
  await ledger.reserve(actor, { ...NOTHING, liveBodies: 1 });
  await ledger.intent(actor, `sha256:${"2".repeat(64)}`);
  const evidence = runLayout(join(layout.runs, run));
  mkdirSync(evidence.directory, { mode: 0o700 });
  writeFileSync(evidence.manifest, "{}");
  chownSync(evidence.directory, CONTROLLER_UID, CONTROLLER_UID);
  mkdirSync(scratchOf(layout.runs, run), { mode: 0o700 });
  return { actor, evidence, marker: join(evidence.directory, "incomplete.json") };
};

const lost = (run: string) =>
  ({ run, reason: "REAPED", bodyGone: true, by: "reaper", at: NOW }) as const;

describe("recovery", () => {
  for (const [whose, owner] of Object.entries(dead))
    test(`a run with an owner ${whose} is INCOMPLETE and occupies nothing any more`, async (t) => {
      const state = open(t);
      const { marker, evidence } = await begin(state, "r1", owner());
      const { marked } = await recoverRuns(state.layout, NOW);
      assert.deepEqual(marked, ["r1"]);
      const row = await state.ledger.run("r1");
      assert.equal(row?.state, "SETTLED");
      assert.deepEqual(row?.outcome, { kind: "incomplete", reason: "OWNER_GONE" });
      assert.deepEqual(JSON.parse(readFileSync(marker, "utf8")), {
        at: NOW.toISOString(),
        by: "recovery",
        run: "r1",
      });
      assert.equal(statSync(evidence.directory).uid, 0);
      assert.equal(existsSync(scratchOf(state.layout.runs, "r1")), false);
    });

  test("a run with a live owner is not touched: the same run, but for its owner", async (t) => {
    const state = open(t);
    const { marker } = await begin(state, "r1", self());
    assert.deepEqual((await recoverRuns(state.layout, NOW)).marked, []);
    assert.equal((await state.ledger.run("r1"))?.state, "DISPATCHED");
    assert.equal(existsSync(marker), false);
  });

  test("a dead controller whose slot has a live reaper is left to that reaper", async (t) => {
    const state = open(t);
    const run = `recover-${process.pid}`;
    const identity = identifyProcess(process.pid);
    assert.ok(identity);
    const slot = allocateSlot(run, { ...identity, role: "launcher" });
    t.after(() => destroySlot(slot));
    addSlotOwner(slot, { ...identity, role: "reaper" });
    await begin(state, run, dead["that is gone"]?.() ?? self());
    const { marked, live } = await recoverRuns(state.layout, NOW);
    assert.ok(live.includes(run));
    assert.deepEqual(marked, []);
    assert.equal(existsSync(scratchOf(state.layout.runs, run)), true);
    await giveUpDeadRuns(state.ledger, state.layout, live, NOW);
    assert.equal((await state.ledger.run(run))?.outcome, null);
  });

  test("twice is as good as once", async (t) => {
    const state = open(t);
    await begin(state, "r1", dead["that is gone"]?.() ?? self());
    await recoverRuns(state.layout, NOW);
    const row = await state.ledger.run("r1");
    assert.deepEqual((await recoverRuns(state.layout, NOW)).marked, []);
    assert.deepEqual(await state.ledger.run("r1"), row);
  });

  test("before the first run there is nothing to do, and nothing is made", async (t) => {
    const layout = layoutOf(join(temporaryDirectory(t), "state"));
    const { marked } = await recoverRuns(layout, NOW);
    assert.deepEqual(marked, []);
    assert.equal(existsSync(layout.state), false);
  });

  test("scratch directories that belong to no slot are removed", async (t) => {
    const { layout } = open(t);
    mkdirSync(scratchOf(layout.runs, "nobody"));
    writeFileSync(join(scratchOf(layout.runs, "nobody"), "upper"), "x");
    await sweepMachine(layout);
    assert.equal(existsSync(scratchOf(layout.runs, "nobody")), false);
  });
});

describe("giving a run up", () => {
  test("what a controller concluded in time stands", async (t) => {
    const state = open(t);
    const { actor, marker } = await begin(state, "r1", self());
    await state.ledger.settle(actor, { ...NOTHING, liveBodies: 1 });
    await state.ledger.conclude(actor, { kind: "verdict", verdict: "PASS" });
    await giveUpRun(state.layout, lost("r1"));
    assert.deepEqual((await state.ledger.run("r1"))?.outcome, { kind: "verdict", verdict: "PASS" });
    assert.equal(existsSync(marker), false);
  });

  test("a verdict that the ledger never heard of does not stand", async (t) => {
    const state = open(t);
    const { evidence, marker } = await begin(state, "r1", self());
    writeFileSync(evidence.verdict, "{}");
    await giveUpRun(state.layout, lost("r1"));
    assert.equal((await state.ledger.run("r1"))?.outcome?.kind, "incomplete");
    assert.equal(existsSync(marker), true);
  });

  test("a body that may still be there keeps its reservation until it is seen to be gone", async (t) => {
    const state = open(t);
    await begin(state, "r1", self());
    await giveUpRun(state.layout, { ...lost("r1"), bodyGone: false });
    assert.equal((await state.ledger.run("r1"))?.state, "HELD");
    await giveUpRun(state.layout, lost("r1"));
    assert.equal((await state.ledger.run("r1"))?.state, "SETTLED");
  });

  test("with a ledger that can't be read the evidence is marked all the same", async (t) => {
    const state = open(t);
    const { marker } = await begin(state, "r1", self());
    state.ledger.close();
    writeFileSync(
      state.layout.ledger,
      "no database at all, but long enough to be looked at".repeat(40),
    );
    await assert.rejects(giveUpRun(state.layout, lost("r1")), { code: /^LEDGER_/ });
    assert.equal(existsSync(marker), true);
  });
});
