import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { temporaryDirectory } from "@drydock/testkit";
import { LabCredential } from "../configuration/index.js";
import { SCENARIOS } from "./catalogue/index.js";
import { runScenario } from "./run-scenario.js";
import type { ApplianceView, World } from "./world.js";

const view: ApplianceView = { digest: `sha256:${"0".repeat(64)}`, configuration: { aliases: [] } };
const other: ApplianceView = { ...view, digest: `sha256:${"1".repeat(64)}` };

/** A lab in which nobody answers; each change of it makes one thing worse. */
const emptyLab = (t: TestContext, change: Partial<World> = {}): World => ({
  appliance: {
    ...{ snapshot: () => view, restore: () => undefined, damageHistory: () => undefined },
    duplicateAlias: () => undefined,
    atConsole: async () => null,
  },
  proxy: {
    arm: async () => "arming-1",
    disarm: async () => undefined,
    begin: async () => undefined,
    log: async () => [],
  },
  endpoint: {
    ...{ address: "127.0.0.1", port: 1, host: "appliance.lab.invalid", ca: null },
    deadlines: { connectMs: 1_000, answerMs: 1_000 },
  },
  credential: new LabCredential("a-key"),
  candidate: "LAB_A",
  clock: () => Date.UTC(2026, 10, 30),
  entropy: (bytes) => randomBytes(bytes),
  directory: temporaryDirectory(t),
  handOver: async () => undefined,
  ...change,
});

const [first] = SCENARIOS;
assert.ok(first);
const play = (world: World) => runScenario(world, first, view, 1);
const fails = async (): Promise<never> => {
  throw Object.assign(new Error("a message"), { code: "EGONE" });
};

test("where nobody answers the first error is the one that is named", async (t) => {
  const world = emptyLab(t);
  const { passed, unexpected, failures, observed } = await play(world);
  assert.equal(passed, false);
  assert.equal(unexpected?.code, "TRANSPORT_CONNECT");
  assert.equal(failures[0], "unexpected: TRANSPORT_CONNECT");
  assert.equal(observed, null);
  assert.deepEqual(readdirSync(world.directory), []);
});

test("an appliance that isn't as its snapshot is begins nothing", async (t) => {
  const appliance = { ...emptyLab(t).appliance, snapshot: () => other };
  let handed = 0;
  const handOver = async () => void handed++;
  const { unexpected } = await play(emptyLab(t, { appliance, handOver }));
  assert.equal(unexpected?.code, "LAB_SNAPSHOT");
  assert.equal(handed, 0);
});

test("a store that nobody took over is never begun", async (t) => {
  const world = emptyLab(t, { handOver: fails });
  const { unexpected } = await play(world);
  assert.equal(unexpected?.code, "EGONE");
});

test("a fault that can't be taken back is said, and the store is destroyed all the same", async (t) => {
  const proxy = { ...emptyLab(t).proxy, disarm: fails };
  const world = emptyLab(t, { proxy });
  const { failures } = await play(world);
  assert.equal(failures.at(-1), "unexpected: EGONE");
  assert.deepEqual(readdirSync(world.directory), []);
});

test("the appliance is put back while its store is still there", async (t) => {
  const stores: number[] = [];
  const restore = (to: ApplianceView): void => {
    assert.equal(to, view);
    stores.push(readdirSync(world.directory).length);
  };
  const world: World = emptyLab(t, { appliance: { ...emptyLab(t).appliance, restore } });
  await play(world);
  // Once before it is played, and once after.
  assert.deepEqual(stores, [1, 1]);
  assert.deepEqual(readdirSync(world.directory), []);
});
