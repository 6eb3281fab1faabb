import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { profile, temporaryDirectory } from "@drydock/testkit";
import fc from "fast-check";
import type { Verdict } from "../gates/gate.js";
import type { Event } from "../log/writer.js";
import { writeBoundary } from "../testing/boundary-fixture.js";
import { flip } from "../testing/bytes.js";
import { filesOf } from "../testing/copies.js";
import { writeRehearsal } from "../testing/lab-fixture.js";
import { assertFails, assertHolds, verify } from "../testing/verify.js";

test("a rehearsal that passed verifies, and says that it was a stand-in", (t) => {
  const report = verify(writeRehearsal(temporaryDirectory(t)), { rederive: true });
  assertHolds(report);
  assert.equal(report.verdict, "PASS");
  assert.deepEqual(
    report.gates?.map(({ id, result }) => [id, result]),
    [
      "LAB-TARGET",
      "LAB-SCENARIO:clean_passthrough",
      "LAB-SCENARIO:d1_stale_description",
      "LAB-EXIT",
      "LAB-VALUES",
      "LAB-END",
    ].map((id) => [id, "PASS"]),
  );
  const noted = report.findings.find(({ code }) => code === "STAND_IN");
  assert.match(noted?.message ?? "", /real appliance are NOT_PROVISIONED; it authorises nothing/);
});

test("some scenarios are said to be some", (t) => {
  const codes = (extent: "all" | "some") =>
    verify(writeRehearsal(temporaryDirectory(t), { manifest: { extent } })).findings.map(
      ({ code }) => code,
    );
  assert.ok(!codes("all").includes("PARTIAL"));
  assert.ok(codes("some").includes("PARTIAL"));
});

test("flipping any byte of any file fails", (t) => {
  const rehearsal = writeRehearsal(temporaryDirectory(t));
  const files = filesOf(rehearsal.directory).map((file) => ({ file, bytes: rehearsal.read(file) }));
  fc.assert(
    fc.property(
      fc.constantFrom(...files),
      fc.nat(),
      fc.integer({ min: 1, max: 255 }),
      ({ file, bytes }, place, mask) => {
        rehearsal.write(file, flip(bytes, place % bytes.length, mask));
        const report = verify(rehearsal);
        rehearsal.write(file, bytes);
        assertFails(report);
      },
    ),
    { numRuns: Math.ceil(profile.fuzz / 4), seed: profile.seed },
  );
  assertHolds(verify(rehearsal));
});

test("a boundary's manifest and a rehearsal's don't stand in for each other", (t) => {
  const rehearsal = writeRehearsal(temporaryDirectory(t));
  const boundary = writeBoundary(temporaryDirectory(t));
  rehearsal.write("manifest.json", boundary.read("manifest.json"));
  assertFails(verify(rehearsal), "MANIFEST_DIGEST", "VERDICT_BINDING");
});

type Change = (events: readonly Event[]) => readonly Event[];

const without =
  (type: Event["type"], which: (event: Event) => boolean = () => true): Change =>
  (events) =>
    events.filter((event) => event.type !== type || !which(event));

const change =
  (type: Event["type"], changes: Partial<Event>, which: (event: Event) => boolean): Change =>
  (events) =>
    events.map((event) => (event.type === type && which(event) ? { ...event, ...changes } : event));

const again =
  (type: Event["type"], which: (event: Event) => boolean): Change =>
  (events) =>
    events.flatMap((event) => (event.type === type && which(event) ? [event, event] : [event]));

/** Under a name and case that nobody planned: it meets nothing, and is nothing too much. */
const inPlaceOf =
  (name: string, other: string): Change =>
  (events) =>
    events.map((event) =>
      event.measurements?.["name"] === name
        ? { ...event, measurements: { ...event.measurements, name: other, variant: "twice" } }
        : event,
    );

const isBack = ({ measurements }: Event): boolean => measurements?.["variant"] === "and back";
const any = () => true;

describe("one thing that isn't as it should be decides one gate", () => {
  const cases: Readonly<Record<string, readonly [Change, string, Verdict]>> = {
    "no supervisor that began": [without("lab.target"), "LAB-TARGET", "INCOMPLETE"],
    "a case that wasn't played": [
      without("lab.scenario", isBack),
      "LAB-SCENARIO:clean_passthrough",
      "INCOMPLETE",
    ],
    "a case that was played in another's place": [
      inPlaceOf("d1_stale_description", "clean_passthrough"),
      "LAB-SCENARIO:d1_stale_description",
      "INCOMPLETE",
    ],
    "a case that was played once too often": [
      again("lab.scenario", isBack),
      "LAB-SCENARIO:clean_passthrough",
      "INCOMPLETE",
    ],
    "a case that failed": [
      change("lab.scenario", { decision: "failed" }, isBack),
      "LAB-SCENARIO:clean_passthrough",
      "FAIL",
    ],
    "no word of the exit": [without("lab.exit"), "LAB-EXIT", "INCOMPLETE"],
    "an exit that isn't confirmed": [
      change("lab.exit", { decision: "unconfirmed" }, any),
      "LAB-EXIT",
      "FAIL",
    ],
    "no scan": [without("lab.scan"), "LAB-VALUES", "INCOMPLETE"],
    "a value that was found": [
      change("lab.scan", { decision: "found" }, any),
      "LAB-VALUES",
      "FAIL",
    ],
    "a scan that couldn't be made": [
      change("lab.scan", { decision: "failed" }, any),
      "LAB-VALUES",
      "FAIL",
    ],
    "a signal": [change("run.end", { decision: "stopped" }, any), "LAB-END", "INCOMPLETE"],
  };
  for (const [what, [events, id, verdict]] of Object.entries(cases))
    test(what, (t) => {
      const rehearsal = writeRehearsal(temporaryDirectory(t), { events });
      assert.equal(rehearsal.conclusion?.verdict, verdict);
      const report = verify(rehearsal, { rederive: true });
      assertHolds(report);
      assert.deepEqual(
        report.gates?.filter(({ result }) => result !== "PASS").map((gate) => gate.id),
        verdict === "PASS" ? [] : [id],
      );
    });

  test("what failed is said", (t) => {
    const failures = ["forwardSends: 2, not 1"];
    const events: Change = (all) =>
      all.map((event) =>
        event.type === "lab.scenario" && isBack(event)
          ? { ...event, decision: "failed", measurements: { ...event.measurements, failures } }
          : event,
      );
    const report = verify(writeRehearsal(temporaryDirectory(t), { events }));
    const noted = report.findings.find(({ code }) => code === "SCENARIO_FAILED");
    assert.equal(noted?.message, 'clean_passthrough ("and back") "forwardSends: 2, not 1"');
  });
});
