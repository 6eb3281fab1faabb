import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, type TestContext, test } from "node:test";
import { temporaryDirectory } from "@drydock/testkit";
import type { Snapshot } from "../appliance/index.js";
import { LabCredential } from "../configuration/index.js";
import { type ExitControl, verifyExit } from "../exit/exit.js";
import { isProvenRevoked } from "../exit/is-proven-revoked.js";
import { SCENARIOS, type World } from "../scenario/index.js";
import { runFullAcceptance } from "./run-full-acceptance.js";

const good: ExitControl = {
  revoke: async () => undefined,
  tryLabKey: async () => 403,
  isReadOnly: async () => true,
};
const fails = (): never => {
  throw new Error("gone");
};

describe("an exit", () => {
  test("is confirmed by the appliance's own refusal, and by nothing that is like it", async () => {
    assert.deepEqual(await verifyExit(good), { permissionRevoked: true, readOnlyConfirmed: true });
    assert.ok([401, 403].every(isProvenRevoked));
    for (const status of [200, 400, 404, 405, 422, 500, 503, null])
      assert.ok(!isProvenRevoked(status), String(status));
  });

  test("is looked at in all its parts, whichever fails", async () => {
    for (const [part, wanted] of [
      ["revoke", [true, true]],
      ["tryLabKey", [false, true]],
      ["isReadOnly", [true, false]],
    ] as const) {
      const { permissionRevoked, readOnlyConfirmed } = await verifyExit({
        ...good,
        [part]: async () => fails(),
      });
      assert.deepEqual([permissionRevoked, readOnlyConfirmed], wanted, part);
    }
  });
});

/** A lab without an appliance: every scenario fails in it, in one way or another. */
const emptyLab = (t: TestContext, change: Partial<World> = {}): World => {
  const snapshot = { configuration: {}, history: [], digest: "sha256:0" } as unknown as Snapshot;
  return {
    appliance: {
      ...{ snapshot: () => snapshot, restore: () => undefined, damageHistory: () => undefined },
      duplicateAlias: () => undefined,
      atConsole: async () => null,
    },
    proxy: {
      arm: async () => "arming-1",
      disarm: async () => undefined,
      begin: async () => undefined,
      log: async () => [],
    },
    // Nobody listens there.
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
  };
};

describe("a full acceptance", () => {
  test("goes on after a scenario that failed, and ends in the exit", async (t) => {
    let exits = 0;
    const report = await runFullAcceptance(
      emptyLab(t),
      { ...good, revoke: async () => void exits++ },
      { seed: 1, repeat: 2 },
    );
    assert.equal(report.passed, false);
    assert.equal(report.scenarios.length, 2 * SCENARIOS.length);
    assert.deepEqual(report.counts, { passed: 0, failed: 2 * SCENARIOS.length, notPlayed: 0 });
    assert.equal(exits, 1);
    assert.equal(report.authorises, "nothing");
  });

  test("ends in the exit after an exception of its own, too", async (t) => {
    let played = 0;
    const report = await runFullAcceptance(emptyLab(t), good, {
      seed: 1,
      onReport: () => {
        played += 1;
        if (played === 3) fails();
      },
    });
    assert.equal(report.unexpected?.code, "Error");
    assert.match(report.unexpected.at ?? "", /^harness\/harness\.test\.js:\d+$/);
    assert.deepEqual(report.counts, { passed: 0, failed: 3, notPlayed: SCENARIOS.length - 3 });
    assert.deepEqual(report.exit, { permissionRevoked: true, readOnlyConfirmed: true });
    assert.equal(report.passed, false);
  });

  test("of nothing is no pass", async (t) => {
    const report = await runFullAcceptance(emptyLab(t), good, { seed: 1, scenarios: [] });
    assert.equal(report.passed, false);
  });
});
