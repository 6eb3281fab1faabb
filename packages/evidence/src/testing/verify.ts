import assert from "node:assert/strict";
import type { FindingCode } from "../finding.js";
import type { VerifyOptions, VerifyReport } from "../verify/options.js";
import { verifyRun } from "../verify/verify.js";
import type { EvidenceFixture } from "./run-fixture.js";

export const verify = (
  fixture: EvidenceFixture,
  changes: Partial<VerifyOptions> = {},
): VerifyReport => verifyRun(fixture.directory, { ...fixture.options, ...changes });

/** Fails, never says PASS, and names the place. */
export const assertFails = (report: VerifyReport, ...codes: readonly FindingCode[]): void => {
  const found = report.findings.map((item) => item.code);
  assert.equal(report.ok, false, JSON.stringify(report));
  assert.notEqual(report.verdict, "PASS");
  for (const code of codes) assert(found.includes(code), `${code} not in ${found.join(", ")}`);
};

export const assertHolds = (report: VerifyReport): void =>
  assert(report.ok, JSON.stringify(report, null, 1));
