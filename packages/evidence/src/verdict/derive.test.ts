import assert from "node:assert/strict";
import { test } from "node:test";
import { profile, temporaryDirectory } from "@drydock/testkit";
import fc from "fast-check";
import { plainRunGates } from "../gates/plain-run.js";
import type { EvidenceRecord } from "../record/record.js";
import { linesOf } from "../testing/forge.js";
import { testManifest } from "../testing/manifest.js";
import { writeRun } from "../testing/run-fixture.js";
import { deriveVerdict } from "./derive.js";

const logsOf = (t: Parameters<typeof temporaryDirectory>[0]) => {
  const run = writeRun(temporaryDirectory(t));
  return (["controller", "port"] as const).map((role) => ({
    role,
    records: linesOf(run, role).map((line): EvidenceRecord => JSON.parse(line)),
    finished: true,
  }));
};

test("derives the same from the same records, in any order of logs", (t) => {
  const logs = logsOf(t);
  const judged = { manifest: testManifest(), logs, earlierAttempts: [] };
  const derived = deriveVerdict(judged);
  assert.equal(derived.verdict, "PASS");
  assert.deepEqual(deriveVerdict(judged), derived);
  const reversed = deriveVerdict({ ...judged, logs: logs.toReversed() });
  assert.equal(reversed.verdict, "PASS");
});

test("leaving records out never turns anything into PASS", (t) => {
  const logs = logsOf(t);
  const total = logs.reduce((sum, log) => sum + log.records.length, 0);
  const irrelevant = new Set([
    "phase",
    "journal.appended",
    "channel.granted",
    "channel.open",
    "channel.revoked",
    "countersign",
    "stage.done",
    "exec.started",
    "artifact.accepted",
    "run.begin",
    "port.begin",
    "key.delegated",
  ]);
  fc.assert(
    fc.property(fc.nat(total - 1), (dropped) => {
      let index = 0;
      let type = "";
      const remaining = logs.map((log) => ({
        ...log,
        records: log.records.filter((record) => {
          if (index === dropped) type = record.type;
          index += 1;
          return index - 1 !== dropped;
        }),
      }));
      const { verdict } = deriveVerdict({
        manifest: testManifest(),
        logs: remaining,
        earlierAttempts: [],
      });
      assert.equal(verdict === "PASS", irrelevant.has(type), `${type}: ${verdict}`);
    }),
    { numRuns: profile.fuzz, seed: profile.seed },
  );
});

test("an unfinished log is INCOMPLETE, an unknown event INVALID, and INVALID wins", (t) => {
  const [controller, port] = logsOf(t);
  assert(controller !== undefined && port !== undefined);
  const judge = (logs: readonly (typeof controller)[]) =>
    deriveVerdict({ manifest: testManifest(), logs, earlierAttempts: [] });
  const unfinished = { ...port, finished: false };
  assert.equal(judge([controller, unfinished]).verdict, "INCOMPLETE");
  assert.equal(judge([controller]).verdict, "INCOMPLETE");
  const odd = {
    ...unfinished,
    records: port.records.map((record) =>
      record.type === "channel.open" ? { ...record, type: "channel.opened" } : record,
    ),
  };
  const invalid = judge([controller, odd]);
  assert.deepEqual([invalid.verdict, invalid.integrity], ["INVALID", "broken"]);
});

test("earlier attempts are counted in full and don't change the verdict", (t) => {
  const attempts = Array.from({ length: 300 }, (_, index) => ({
    index,
    run: `run-${index}`,
    manifest: `sha256:${"0".repeat(64)}`,
    wall: "2026-11-30T10:00:00.000Z",
    verdict: index === 0 ? ("FAIL" as const) : null,
  }));
  const derived = deriveVerdict({
    manifest: testManifest(),
    logs: logsOf(t),
    earlierAttempts: attempts,
  });
  assert.equal(derived.verdict, "PASS");
  assert.deepEqual([derived.earlierAttempts.total, derived.earlierAttempts.counts.FAIL], [300, 1]);
  assert.equal(derived.earlierAttempts.newest.length, 256);
});

test("a planted value that was seen is FAIL in a run that planted it, with a finding that says where", (t) => {
  const [controller, port] = logsOf(t);
  assert(controller !== undefined && port !== undefined);
  const gates = plainRunGates({ egress: false, canaries: true });
  const manifest = testManifest({ gates, canaries: ["BACKUP_KEY"] });
  const judge = (logs: readonly (typeof controller)[]) =>
    deriveVerdict({ manifest, logs, earlierAttempts: [] });
  assert.equal(judge([controller, port]).verdict, "PASS");
  const sighted = port.records.map((record) =>
    record.type === "exec.started"
      ? {
          ...record,
          type: "canary.sighted",
          class: "BROKER_OBSERVED" as const,
          measurements: {
            ...{ channel: "drydock.bulk.0", place: "stdout", canary: "BACKUP_KEY" },
            ...{ encoding: "base64", layer: "none" },
          },
        }
      : record,
  );
  const { verdict, findings, integrity } = judge([controller, { ...port, records: sighted }]);
  assert.deepEqual([verdict, integrity], ["FAIL", "intact"]);
  assert.deepEqual(
    findings.map(({ code, message }) => [code, message]),
    [["CANARY_SIGHTED", "BACKUP_KEY base64 drydock.bulk.0 stdout"]],
  );
});

test("the gate of a run with a way out forbids a secret that came back and a canary that went out", () => {
  const gate = plainRunGates({ egress: true, canaries: false }).find(
    ({ id }) => id === "RUN-EGRESS",
  );
  assert.ok(gate !== undefined);
  const closed = gate.forbid.filter(({ type }) => type === "egress.closed");
  assert.deepEqual(
    closed.map(({ role, outcome, where }) => [role, outcome, where]),
    [
      [
        "egress",
        "FAIL",
        [{ op: "in", path: "measurements.reason", value: ["CANARY", "RESPONSE_HAS_SECRET"] }],
      ],
    ],
  );
});
