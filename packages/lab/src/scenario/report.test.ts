import assert from "node:assert/strict";
import { test } from "node:test";
import * as z from "zod/mini";
import { SCENARIOS } from "./catalogue/index.js";
import { type ScenarioReport, scenarioReportShape } from "./report.js";

const [first] = SCENARIOS;
assert.ok(first);
const report: ScenarioReport = {
  ...{ name: first.name, variant: null, passed: false, expected: first.oracle },
  observed: { ...first.oracle, forwardSends: 3, appliance: "other" },
  failures: ["forwardSends: 3, not 1"],
  faultTook: null,
  unexpected: { code: "TypeError", at: "play/play.js:3" },
  records: [
    { kind: "configuration", when: "start", digest: `sha256:${"0".repeat(64)}` },
    {
      ...{ kind: "exchange", phase: "mutation", method: "PATCH", path: "/api/v2/a/{id}" },
      ...{ status: null, atMs: 1, durationMs: null, delivered: "possibly", copies: 1 },
      ...{ outcome: "open", took: ["delay"] },
    },
    { kind: "history", before: "execute", digest: "0".repeat(64) },
  ],
  durationMs: 4,
};
const passes = (value: unknown) => z.safeParse(scenarioReportShape, value).success;

test("a report is taken as it is, and one with a key more or a value of another kind isn't", () => {
  assert.ok(passes(report));
  const [configuration, exchange, history] = report.records;
  for (const change of [
    { body: "x" },
    { name: "another" },
    { failures: ["x".repeat(201)] },
    { observed: { ...report.observed, body: "x" } },
    { unexpected: { ...report.unexpected, message: "x" } },
    { unexpected: { code: "a message", at: null } },
    { records: [{ ...configuration, digest: "a value" }] },
    { records: [{ ...exchange, body: "x" }] },
    { records: [{ ...history, description: "x" }] },
    { records: [{ ...history, digest: "a value" }] },
    { records: [{ ...exchange, path: "/api/v2/a?name=x" }] },
    { records: Array.from({ length: 201 }, () => configuration) },
  ])
    assert.ok(!passes({ ...report, ...change }), JSON.stringify(change));
});
