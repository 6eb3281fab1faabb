import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryDirectory } from "@drydock/testkit";
import { splitNotes } from "../log/checkpoint.js";
import { cosignNote } from "../log/note.js";
import { testKey } from "../testing/keys.js";
import { TestJournal, writeRun } from "../testing/run-fixture.js";
import { controllerTrustEntry, trustOf } from "../testing/trust.js";
import { assertFails, assertHolds, verify } from "../testing/verify.js";
import { concludedVerdict } from "./signed-verdict.js";
import { verifyRun } from "./verify.js";

const newestNote = (text: string): string => splitNotes(text).at(-1)?.text ?? "";

test("a whole run verifies, and without a head kept elsewhere it says not anchored", (t) => {
  const run = writeRun(temporaryDirectory(t));
  const report = verify(run, { journal: run.journal.source(), rederive: true });
  assertHolds(report);
  assert.deepEqual(
    [report.integrity, report.completeness, report.verdict, report.anchored],
    ["intact", "complete", "PASS", false],
  );
  assert.deepEqual(
    report.findings.map((item) => item.code),
    ["NOT_ANCHORED"],
  );
  assert(report.gates?.every((gate) => gate.result === "PASS" && gate.evidence.length > 0));
  assert.equal(verify(run).gates, undefined);
});

test("a head of the whole log or journal, kept elsewhere, anchors the run", (t) => {
  const run = writeRun(temporaryDirectory(t));
  const journal = run.journal.source();
  const notes = splitNotes(run.journal.checkpoints.text).map((note) => note.text);
  const atSeal = notes[0] ?? "";
  const later = notes[1] ?? "";
  const whole = newestNote(run.read("logs/controller.checkpoint").toString("utf8"));
  assert.equal(verify(run, { expect: whole }).anchored, true);
  assert.equal(verify(run, { expect: atSeal }).anchored, true);
  assert.equal(verify(run, { expect: later, journal }).anchored, true);

  const withoutJournal = verify(run, { expect: later });
  assert.equal(withoutJournal.anchored, false);
  assert(withoutJournal.findings.some((item) => item.code === "EXPECT_UNCHECKED"));
  const [first] = splitNotes(run.read("logs/controller.checkpoint").toString("utf8"));
  assert.equal(verify(run, { expect: first?.text ?? "" }).anchored, false);
});

test("a trusted witness's cosignature of the whole log anchors the run", (t) => {
  const run = writeRun(temporaryDirectory(t));
  const witness = testKey("witness");
  const file = "logs/controller.checkpoint";
  const notes = splitNotes(run.read(file).toString("utf8")).map((note) => note.text);
  const newest = cosignNote(notes.pop() ?? "", "w.example", witness, 1_796_000_000);
  run.write(file, [...notes, newest].join(""));
  const unknown = verify(run);
  assertHolds(unknown);
  assert.equal(unknown.anchored, false);
  assert(unknown.findings.some((item) => item.code === "WITNESS_UNKNOWN"));
  const trust = trustOf(
    controllerTrustEntry(run.controllerKey.public),
    controllerTrustEntry(witness.public, { namespaces: ["witness"], roles: [], classes: [] }),
  );
  assert.equal(verify(run, { trust }).anchored, true);
});

test("a run that is marked or ends early is INCOMPLETE", (t) => {
  const crashed = writeRun(join(temporaryDirectory(t), "crashed"), { unconcluded: true });
  const report = verify(crashed);
  assertFails(report, "VERDICT_MISSING");
  assert.deepEqual([report.integrity, report.verdict], ["intact", "INCOMPLETE"]);

  const marked = writeRun(join(temporaryDirectory(t), "marked"));
  marked.write("incomplete.json", "{}");
  const lowered = verify(marked);
  assertFails(lowered, "RUN_MARKED_INCOMPLETE");
  assert.equal(lowered.verdict, "INCOMPLETE");

  const endless = writeRun(join(temporaryDirectory(t), "endless"), {
    events: (role, events) => (role === "controller" ? events.slice(0, -1) : events),
  });
  assert.equal(endless.conclusion?.verdict, "INCOMPLETE");
  assertFails(verify(endless), "LOG_UNFINISHED");
});

test("gates decide between FAIL, UNCERTAIN and INCOMPLETE, and such a run still verifies", (t) => {
  const root = temporaryDirectory(t);
  const cases = [
    ["FAIL", { type: "bounds.exceeded", measurements: { bound: "wallMs", limit: 1, observed: 2 } }],
    ["UNCERTAIN", { type: "settle", decision: "held", measurements: { reservation: "res-1" } }],
    ["INCOMPLETE", { type: "deadline.fired", decision: "wall", measurements: { limitMs: 1000 } }],
  ] as const;
  for (const [verdict, event] of cases) {
    const run = writeRun(join(root, verdict), {
      events: (role, events) => (role === "controller" ? [event, ...events] : events),
    });
    const report = verify(run);
    assertHolds(report);
    assert.equal(report.verdict, verdict);
  }
});

test("earlier attempts travel with the verdict and agree with the journal", (t) => {
  const root = temporaryDirectory(t);
  const journal = new TestJournal();
  const failing = writeRun(join(root, "1"), {
    journal,
    manifest: { run: "run-1" },
    events: (role, events) =>
      role === "controller"
        ? [{ type: "canonical.changed", measurements: { parts: ["HEAD"] } }, ...events]
        : events,
  });
  assert.equal(failing.conclusion?.verdict, "FAIL");
  const second = writeRun(join(root, "2"), { journal, manifest: { run: "run-2" } });
  assert.equal(second.conclusion?.earlierAttempts.counts.FAIL, 1);
  const report = verify(second, { journal: journal.source() });
  assertHolds(report);
  const note = report.findings.find((item) => item.code === "EARLIER_ATTEMPTS");
  assert.match(note?.message ?? "", /before it: 1, of them 1 FAIL/);
  assert(
    verify(failing, { journal: journal.source() }).findings.some(
      (item) => item.code === "LATER_ATTEMPTS",
    ),
  );
});

test("links, FIFOs, strangers and oversized files in the directory are findings, not hazards", (t) => {
  const root = temporaryDirectory(t);
  const make = (name: string) => writeRun(join(root, name));
  const linked = make("linked");
  renameSync(join(linked.directory, "manifest.json"), join(root, "elsewhere"));
  symlinkSync(join(root, "elsewhere"), join(linked.directory, "manifest.json"));
  assertFails(verify(linked), "FILE_UNSAFE");

  const folder = make("folder");
  renameSync(join(folder.directory, "logs"), join(root, "logs"));
  symlinkSync(join(root, "logs"), join(folder.directory, "logs"));
  assertFails(verify(folder), "FILE_UNSAFE");

  const fifo = make("fifo");
  rmSync(join(fifo.directory, "logs/port.jsonl"));
  execFileSync("mkfifo", [join(fifo.directory, "logs/port.jsonl")]);
  assertFails(verify(fifo), "FILE_UNSAFE");

  const stranger = make("stranger");
  writeFileSync(join(stranger.directory, "README"), "trust me");
  assertFails(verify(stranger), "FILE_EXTRA");

  const extraLog = make("extra-log");
  writeFileSync(join(extraLog.directory, "logs/judge.jsonl"), "");
  assertFails(verify(extraLog), "FILE_EXTRA");

  const directory = make("directory");
  rmSync(join(directory.directory, "verdict.dsse.json"));
  mkdirSync(join(directory.directory, "verdict.dsse.json"));
  assertFails(verify(directory), "FILE_UNSAFE");

  assert.throws(() => verifyRun(join(root, "absent"), directory.options), {
    code: "RUN_DIRECTORY",
  });
  for (const file of ["manifest.json", "logs/controller.jsonl", "logs/port.jsonl"]) {
    const incomplete = make(file.replaceAll("/", "-"));
    rmSync(join(incomplete.directory, file));
    assertFails(verify(incomplete));
  }
});

test("a run given up before it was sealed is INCOMPLETE; with anything signed gone it is INVALID", (t) => {
  const directory = temporaryDirectory(t);
  const { options } = writeRun(temporaryDirectory(t));
  const report = () => verifyRun(directory, options);
  for (const folder of ["logs", "artifacts"]) mkdirSync(join(directory, folder));
  writeFileSync(join(directory, "logs/port.jsonl"), "");
  assert.deepEqual([report().verdict, report().integrity], ["INVALID", "broken"], "no marker");

  writeFileSync(join(directory, "incomplete.json"), "{}");
  assertFails(report(), "RUN_MARKED_INCOMPLETE");
  assert.deepEqual([report().verdict, report().integrity], ["INCOMPLETE", "intact"]);

  for (const file of ["logs/port.jsonl", "artifacts/x", "logs/x", "verdict.dsse.json", "other"]) {
    writeFileSync(join(directory, file), "x");
    assert.equal(report().verdict, "INVALID", file);
    if (file === "logs/port.jsonl") writeFileSync(join(directory, file), "");
    else rmSync(join(directory, file));
  }
  assert.equal(report().verdict, "INCOMPLETE");
});

test("the concluded verdict is the signed one, and none once the run was given up", (t) => {
  const run = writeRun(temporaryDirectory(t));
  const concluded = () => concludedVerdict(run.directory, run.options);
  assert.equal(concluded()?.verdict, verify(run).verdict);
  const other = trustOf(controllerTrustEntry(testKey("stranger").public));
  assert.equal(concludedVerdict(run.directory, { ...run.options, trust: other }), null);
  run.write("incomplete.json", "{}");
  assert.equal(concluded(), null);
  assert.equal(verify(run).verdict, "INCOMPLETE");
  rmSync(join(run.directory, "incomplete.json"));
  assert.equal(concluded()?.verdict, "PASS");
  rmSync(join(run.directory, "verdict.dsse.json"));
  assert.equal(concluded(), null);
});
