import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryDirectory } from "@drydock/testkit";
import { splitNotes } from "../log/checkpoint.js";
import { type RunFixture, TestJournal, writeRun } from "../testing/run-fixture.js";
import { assertFails, assertHolds, verify } from "../testing/verify.js";

test("hiding an earlier FAIL shows against the journal or a head kept elsewhere", (t) => {
  const root = temporaryDirectory(t);
  const journal = new TestJournal();
  const failing = writeRun(join(root, "failing"), {
    journal,
    manifest: { run: "run-1" },
    events: (role, events) =>
      role === "controller"
        ? [{ type: "kill", decision: "survived", measurements: { reason: "test" } }, ...events]
        : events,
  });
  const keptElsewhere = splitNotes(failing.journal.checkpoints.text).at(-1)?.text ?? "";
  const honest = writeRun(join(root, "honest"), { journal, manifest: { run: "run-2" } });
  assertHolds(verify(honest, { journal: journal.source(), expect: keptElsewhere }));

  // The operator starts a new journal under the same key, and runs again until it passes.
  const fresh = new TestJournal();
  const hiding = writeRun(join(root, "hiding"), { journal: fresh, manifest: { run: "run-2" } });
  assert.equal(hiding.conclusion?.verdict, "PASS");
  assertFails(verify(hiding, { journal: journal.source() }), "JOURNAL_BINDING");
  assertFails(
    verify(hiding, { journal: fresh.source(), expect: keptElsewhere }),
    "EXPECT_MISMATCH",
  );
  const alone = verify(hiding, { journal: fresh.source() });
  assert.equal(alone.anchored, false);
  assert(alone.findings.some((item) => item.code === "NOT_ANCHORED"));
});

test("a run replaced after its verdict was journalled fails against the journal", (t) => {
  const root = temporaryDirectory(t);
  const journal = new TestJournal();
  const first = writeRun(join(root, "first"), {
    journal,
    events: (role, events) =>
      role === "controller"
        ? [{ type: "kill", decision: "survived", measurements: { reason: "test" } }, ...events]
        : events,
  });
  const again = writeRun(join(root, "again"), { journal });
  assertHolds(verify(again));
  assertFails(verify(first, { journal: journal.source() }), "JOURNAL_BINDING");
});

test("an expected head of another history, of more records, or of another log fails", (t) => {
  const root = temporaryDirectory(t);
  const run = writeRun(join(root, "run"));
  const other = writeRun(join(root, "other"), {
    events: (role, events) => (role === "port" ? events : [...events.slice(1, 2), ...events]),
  });
  const newest = (from: RunFixture, role: string) =>
    splitNotes(from.read(`logs/${role}.checkpoint`).toString("utf8")).at(-1)?.text ?? "";
  assert.equal(verify(run, { expect: newest(run, "controller") }).anchored, true);
  assertFails(verify(run, { expect: newest(other, "controller") }), "EXPECT_MISMATCH");
  assertFails(verify(other, { expect: newest(run, "controller") }), "EXPECT_MISMATCH");
  const elsewhere = newest(run, "port").replaceAll("/run-1/", "/run-9/");
  assertFails(verify(run, { expect: elsewhere }), "EXPECT_MISMATCH");
});
