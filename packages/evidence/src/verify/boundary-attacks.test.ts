import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { profile, temporaryDirectory } from "@drydock/testkit";
import fc from "fast-check";
import type { Verdict } from "../gates/gate.js";
import type { Event } from "../log/writer.js";
import { BOUNDARY_PHASES } from "../manifest/boundary.js";
import { writeBoundary } from "../testing/boundary-fixture.js";
import { flip } from "../testing/bytes.js";
import { copies, filesOf } from "../testing/copies.js";
import { forgeLog, linesOf, writeLines } from "../testing/forge.js";
import { TestJournal, writeRun } from "../testing/run-fixture.js";
import { assertFails, assertHolds, verify } from "../testing/verify.js";

for (const phase of BOUNDARY_PHASES)
  test(`${phase}: what held verifies without knowledge of the machine`, (t) => {
    const kind = phase === "apply" ? "planned" : "observed";
    const topology = { kind, networks: 6, bridges: 6, bootId: "boot", daemonId: "d" } as const;
    const report = verify(writeBoundary(temporaryDirectory(t), { manifest: { phase, topology } }), {
      rederive: true,
    });
    assertHolds(report);
    assert.equal(report.verdict, "PASS");
    assert.deepEqual(
      report.gates?.map(({ result }) => result),
      report.gates?.map(() => "PASS"),
    );
  });

test("a gate that sealed what was planned never passes: no kernel holds rules for ports without names", (t) => {
  const topology = {
    kind: "planned",
    networks: 6,
    bridges: 6,
    bootId: "b",
    daemonId: "d",
  } as const;
  const held = `sha256:${"0".repeat(64)}`;
  const events = change("boundary.readback", { measurements: { digest: held } });
  for (const [phase, verdict] of [
    ["apply", "PASS"],
    ["start", "INCOMPLETE"],
  ] as const) {
    const boundary = writeBoundary(temporaryDirectory(t), {
      manifest: { phase, topology },
      events,
    });
    assert.equal(boundary.conclusion?.verdict, verdict, phase);
  }
});

test("flipping any byte of any file fails", (t) => {
  const boundary = writeBoundary(temporaryDirectory(t));
  assertHolds(verify(boundary));
  const files = filesOf(boundary.directory).map((file) => ({ file, bytes: boundary.read(file) }));
  fc.assert(
    fc.property(
      fc.constantFrom(...files),
      fc.nat(),
      fc.integer({ min: 1, max: 255 }),
      ({ file, bytes }, place, mask) => {
        boundary.write(file, flip(bytes, place % bytes.length, mask));
        const report = verify(boundary);
        boundary.write(file, bytes);
        assertFails(report);
      },
    ),
    { numRuns: profile.fuzz, seed: profile.seed },
  );
  assertHolds(verify(boundary));
});

test("records deleted, repeated, swapped or cut fail", (t) => {
  const boundary = writeBoundary(temporaryDirectory(t));
  const original = boundary.read("logs/controller.jsonl");
  const lines = linesOf(boundary, "controller");
  fc.assert(
    fc.property(
      fc.constantFrom("delete", "repeat", "swap", "truncate"),
      fc.nat(lines.length - 2),
      (kind, at) => {
        const [line = "", next = ""] = lines.slice(at, at + 2);
        switch (kind) {
          case "delete":
            writeLines(boundary, "controller", lines.toSpliced(at, 1));
            break;
          case "repeat":
            writeLines(boundary, "controller", lines.toSpliced(at, 0, line));
            break;
          case "swap":
            writeLines(boundary, "controller", lines.toSpliced(at, 2, next, line));
            break;
          case "truncate":
            writeLines(boundary, "controller", lines.slice(0, at));
            break;
        }
        const report = verify(boundary);
        boundary.write("logs/controller.jsonl", original);
        assertFails(report, "LOG_TRUNCATED");
      },
    ),
    { numRuns: profile.fuzz, seed: profile.seed },
  );
  assertHolds(verify(boundary));
});

test("a record taken out and everything signed again fails against the verdict", (t) => {
  const copy = copies(t, writeBoundary(temporaryDirectory(t)));
  const boundary = copy();
  const without = (type: string) =>
    forgeLog(boundary, "controller", boundary.controllerKey, (records) =>
      records.filter((record) => record.type !== type),
    );
  without("boundary.holders");
  assertFails(verify(boundary), "LOG_TRUNCATED");
  rmSync(join(boundary.directory, "verdict.dsse.json"));
  assertFails(verify(boundary), "VERDICT_MISSING");
  assert.equal(verify(boundary).verdict, "INCOMPLETE");
});

test("a time at the gate that failed can't be hidden behind a later one", (t) => {
  const root = temporaryDirectory(t);
  const journal = new TestJournal();
  const failed = writeBoundary(join(root, "failed"), { journal, events: shut });
  assert.equal(failed.conclusion?.verdict, "FAIL");
  const again = { run: "boundary-2", created: "2026-11-30T10:05:00.000Z" };
  const second = writeBoundary(join(root, "second"), { journal, manifest: again });
  const report = verify(second, { journal: journal.source() });
  assertHolds(report);
  assert(report.findings.some(({ code }) => code === "EARLIER_ATTEMPTS"));
  assert.equal(second.conclusion?.earlierAttempts.counts.FAIL, 1);

  // The same key, and a journal that begins with the second.
  const cleaned = new TestJournal();
  const alone = writeBoundary(join(root, "alone"), { journal: cleaned, manifest: again });
  assertHolds(verify(alone, { journal: cleaned.source() }));
  assertFails(verify(second, { journal: cleaned.source() }), "JOURNAL_BINDING");
  assertFails(verify(alone, { journal: journal.source() }), "JOURNAL_BINDING");
});

test("a run's manifest and a boundary's don't stand in for each other", (t) => {
  const root = temporaryDirectory(t);
  const boundary = writeBoundary(join(root, "boundary"));
  const run = writeRun(join(root, "run"));
  const own = boundary.read("manifest.json");
  boundary.write("manifest.json", run.read("manifest.json"));
  assertFails(verify(boundary), "MANIFEST_DIGEST", "VERDICT_BINDING");
  run.write("manifest.json", own);
  assertFails(verify(run), "MANIFEST_DIGEST", "VERDICT_BINDING");
});

test("development is said with every verdict", (t) => {
  const root = temporaryDirectory(t);
  const noted = (name: string, development: boolean) =>
    verify(writeBoundary(join(root, name), { manifest: { development } })).findings.some(
      ({ code }) => code === "DEVELOPMENT",
    );
  assert.deepEqual([noted("released", false), noted("development", true)], [false, true]);
});

const change =
  (type: Event["type"], changes: Partial<Event>, which: (event: Event) => boolean = () => true) =>
  (events: readonly Event[]): readonly Event[] =>
    events.map((event) =>
      event.type === type && which(event)
        ? {
            ...event,
            ...changes,
            measurements: { ...event.measurements, ...changes.measurements },
          }
        : event,
    );

const shut = change("boundary.gate", { decision: "shut", measurements: { findings: 1 } });

const without =
  (type: Event["type"], which: (event: Event) => boolean = () => true) =>
  (events: readonly Event[]): readonly Event[] =>
    events.filter((event) => event.type !== type || !which(event));

const before =
  (event: Event) =>
  (events: readonly Event[]): readonly Event[] => [event, ...events];

const isOf =
  (name: string, value: string) =>
  ({ measurements }: Event): boolean =>
    measurements?.[name] === value;

describe("one thing that isn't as it should be decides one gate", () => {
  const cases: Readonly<
    Record<string, readonly [(events: readonly Event[]) => readonly Event[], string, Verdict]>
  > = {
    "a rule that differs": [
      change("boundary.readback", { decision: "mismatch", measurements: { differences: 1 } }),
      "BOUNDARY-READBACK",
      "FAIL",
    ],
    "an authority that wasn't read back": [
      without("boundary.readback", isOf("authority", "platform")),
      "BOUNDARY-READBACK",
      "INCOMPLETE",
    ],
    "another ruleset than the sealed one": [
      change(
        "boundary.readback",
        { measurements: { digest: `sha256:${"0".repeat(64)}` } },
        isOf("authority", "scenario"),
      ),
      "BOUNDARY-READBACK",
      "INCOMPLETE",
    ],
    "a packet that is decided otherwise": [
      change("boundary.meaning", { decision: "differs", measurements: { differing: 1 } }),
      "BOUNDARY-MEANING",
      "FAIL",
    ],
    "a check of nothing": [
      change("boundary.meaning", { measurements: { cells: 0 } }),
      "BOUNDARY-MEANING",
      "INCOMPLETE",
    ],
    "a flow that passed against the rules": [
      change("boundary.probe", { decision: "failed" }, isOf("expectation", "blocked")),
      "BOUNDARY-PROBES",
      "FAIL",
    ],
    "no allowed flow of the platform's": [
      without("boundary.probe", isOf("identity", "platform/reachable")),
      "BOUNDARY-PROBES",
      "INCOMPLETE",
    ],
    "no denied flow of the scenario's": [
      without("boundary.probe", isOf("identity", "scenario/blocked")),
      "BOUNDARY-PROBES",
      "INCOMPLETE",
    ],
    "a holder that nobody signed": [
      change("boundary.holders", { decision: "differs", measurements: { unexpected: 1 } }),
      "BOUNDARY-HOLDERS",
      "FAIL",
    ],
    "a shut gate": [shut, "BOUNDARY-GATE", "FAIL"],
    "a stale look from outside": [
      change("boundary.host-observation", { decision: "stale" }),
      "BOUNDARY-GATE",
      "FAIL",
    ],
    "no look from outside": [without("boundary.host-observation"), "BOUNDARY-GATE", "INCOMPLETE"],
    "another phase's gate": [
      change("boundary.gate", { measurements: { phase: "image-qualification" } }),
      "BOUNDARY-GATE",
      "INCOMPLETE",
    ],
    "a finding": [
      before({
        type: "boundary.finding",
        measurements: { code: "boundary.docker-daemon-mismatch", about: "engine" },
      }),
      "BOUNDARY-END",
      "FAIL",
    ],
    "a drop to the floor": [
      before({
        type: "boundary.floor",
        decision: "dropped",
        measurements: { reason: "drift" },
      }),
      "BOUNDARY-END",
      "FAIL",
    ],
    "no end": [without("boundary.end"), "BOUNDARY-END", "INCOMPLETE"],
  };
  for (const [what, [events, id, verdict]] of Object.entries(cases))
    test(what, (t) => {
      const boundary = writeBoundary(temporaryDirectory(t), { events });
      assert.equal(boundary.conclusion?.verdict, verdict);
      const report = verify(boundary, { rederive: true });
      assertHolds(report);
      assert.equal(report.verdict, verdict);
      assert.deepEqual(
        report.gates?.filter(({ result }) => result !== "PASS"),
        report.gates?.filter((gate) => gate.id === id),
      );
    });

  test("what was found is said", (t) => {
    const [found] = Object.entries(cases).filter(([what]) => what === "a finding");
    const report = verify(
      writeBoundary(temporaryDirectory(t), found === undefined ? {} : { events: found[1][0] }),
    );
    const noted = report.findings.find(({ code }) => code === "BOUNDARY_FINDING");
    assert.equal(noted?.message, 'boundary.docker-daemon-mismatch "engine"');
  });
});
