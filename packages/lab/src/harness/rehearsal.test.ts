import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { temporaryDirectory } from "@drydock/testkit";
import * as z from "zod/mini";
import { namespaceIdentity } from "../appliance/index.js";
import { SCENARIOS } from "../scenario/catalogue/index.js";
import { scenarioReportShape } from "../scenario/report.js";
import type { AcceptanceReport } from "./report.js";

const PROGRAM = fileURLToPath(new URL("./testing/rehearse.js", import.meta.url));
/** Ten times what it takes, for machines that have much else to do. */
const DEADLINE_MS = 300_000;

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

  test("no value of the appliance is in a report, and no text that was sent to it", () => {
    const text = JSON.stringify(full);
    for (const value of ["LAB_REHEARSED", "about ", "192.0.2.77", "synthetic", "changed by"])
      assert.ok(!text.includes(value), value);
    assert.ok(text.includes("/api/v2/firewall/alias"));
  });

  test("and nothing of a scenario is kept", () => {
    assert.deepEqual(left, ["appliance"]);
  });
});
