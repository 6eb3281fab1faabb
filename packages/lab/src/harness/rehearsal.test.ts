import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { temporaryDirectory } from "@drydock/testkit";
import * as z from "zod/mini";
import { namespaceIdentity } from "../appliance/index.js";
import { SCENARIOS } from "../scenario/catalogue.js";
import { SEED_NAMES } from "../scenario/names.js";
import { departures } from "../scenario/oracle.js";
import { scenarioReportShape } from "../scenario/report.js";
import type { AcceptanceReport } from "./run-full-acceptance.js";

/** The seed's list of faults, in its words, and what each line became. */
const SEED: Readonly<Record<string, readonly string[]>> = {
  "crash before durable acquisition": ["crash_before_durable_acquisition"],
  "crash after EXECUTING, before the send": ["crash_after_executing_before_send"],
  "connection reset during upload": ["connection_reset_during_upload"],
  "response dropped after commit": ["response_dropped_after_commit"],
  "timeout during response and during read-back": [
    "timeout_during_response",
    "timeout_during_readback",
  ],
  "process restart in EXECUTING and ROLLING_BACK": [
    "process_restart_during_executing",
    "process_restart_during_rolling_back",
  ],
  "target changed between prepare and execute": ["target_changed_between_prepare_and_execute"],
  "conflicting edit after verification": ["conflicting_edit_after_verification"],
  "rollback response lost": ["rollback_response_lost"],
  "corrupt or replayed local store": ["corrupt_or_replayed_local_store"],
};

test("every line of the seed's list has its scenarios, and there is one without a fault", () => {
  assert.equal(Object.keys(SEED).length, 10);
  assert.deepEqual([...SEED_NAMES], ["clean_passthrough", ...Object.values(SEED).flat()]);
  const played = SCENARIOS.map(({ name }) => name);
  assert.deepEqual(new Set(played), new Set(SEED_NAMES));
  for (const { name, injection } of SCENARIOS)
    assert.equal(injection.kind === "none", name === "clean_passthrough");
});

test("an oracle holds for all of its parts, and for none less", () => {
  for (const { oracle } of SCENARIOS) {
    assert.deepEqual(departures(oracle, oracle), []);
    for (const change of [
      { state: "EXPIRED" },
      { forwardSends: 1 - oracle.forwardSends },
      { rollbackSends: 1 - oracle.rollbackSends },
      { reservation: oracle.reservation === "held" ? "free" : "held" },
      { appliance: "other" },
    ])
      assert.equal(departures({ ...oracle, ...change } as never, oracle).length, 1);
  }
});

const PROGRAM = fileURLToPath(new URL("./testing/rehearse.js", import.meta.url));
const DEADLINE_MS = 120_000;

describe("on a stand-in, through the fault proxy", () => {
  let full: AcceptanceReport;
  let lying: AcceptanceReport;
  let left: readonly string[] = [];

  before(async () => {
    const endings: (() => unknown)[] = [];
    const directory = temporaryDirectory({ after: (ending) => void endings.push(ending) });
    try {
      const given = JSON.stringify({ starter: namespaceIdentity(), directory });
      const child = spawn("unshare", ["--net", process.execPath, PROGRAM, given], {
        stdio: ["ignore", "pipe", "inherit"],
        timeout: DEADLINE_MS,
      });
      const printed = Buffer.concat(await child.stdout.toArray()).toString();
      ({ full, lying } = JSON.parse(printed) as {
        full: AcceptanceReport;
        lying: AcceptanceReport;
      });
      left = readdirSync(directory);
    } finally {
      for (const ending of endings) await ending();
    }
  });

  for (const [index, { name, variant, oracle }] of SCENARIOS.entries())
    test(`${name}${variant === null ? "" : ` (${variant})`} ends as it has to`, () => {
      const report = full.scenarios[index];
      assert.equal(report?.name, name);
      assert.deepEqual(report.failures, []);
      assert.equal(report.unexpected, null);
      assert.deepEqual(report.observed, oracle);
      assert.deepEqual(z.parse(scenarioReportShape, report), report);
      assert.notEqual(report.faultTook, false, "what was armed had no effect");
      assert.ok(report.passed);
    });

  test("all of it passes, the permission being gone and the API read-only", () => {
    assert.deepEqual(full.exit, { permissionRevoked: true, readOnlyConfirmed: true });
    assert.deepEqual(full.counts, { passed: SCENARIOS.length, failed: 0, notPlayed: 0 });
    assert.equal(full.passed, true);
  });

  test("a revocation that lies is found out, and all fails for it", () => {
    assert.deepEqual(lying.counts, { passed: 1, failed: 0, notPlayed: 0 });
    assert.deepEqual(lying.exit, { permissionRevoked: false, readOnlyConfirmed: false });
    assert.equal(lying.passed, false);
  });

  test("and nothing of a scenario is kept", () => {
    assert.deepEqual(left, ["appliance"]);
  });
});
