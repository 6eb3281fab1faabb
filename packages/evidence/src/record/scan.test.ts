import assert from "node:assert/strict";
import { test } from "node:test";
import { profile, temporaryDirectory } from "@drydock/testkit";
import fc from "fast-check";
import { isDrydockError } from "../errors.js";
import { canonicalBytes } from "../json/canonical.js";
import { flip, utf8 } from "../testing/bytes.js";
import { linesOf } from "../testing/forge.js";
import { writeRun } from "../testing/run-fixture.js";
import { eventProblem } from "./check-event.js";
import { EVENT_TYPES } from "./event-types.js";
import { readRecordLine } from "./read-line.js";
import type { EvidenceRecord } from "./record.js";
import { RecordScanner, recordOfScanned } from "./scan.js";

const scanner = new RecordScanner();

const accepted = (line: Buffer): EvidenceRecord | null => {
  try {
    const record = readRecordLine(line);
    return eventProblem(record) === null ? record : null;
  } catch (error) {
    if (isDrydockError(error)) return null;
    throw error;
  }
};

/** Yes from the fast path has to be yes from the slow one, about the same record. */
const assertSound = (line: Buffer): boolean => {
  const scanned = scanner.scan(line);
  if (scanned === null) return false;
  const record = accepted(line);
  assert(record !== null, `only the scanner accepts ${line.toString("latin1")}`);
  for (const field of Object.keys(scanned) as (keyof typeof scanned)[]) {
    assert.equal(scanned[field], record[field], field);
  }
  assert.deepEqual(recordOfScanned(line), record);
  return true;
};

const lines = (t: Parameters<typeof temporaryDirectory>[0]): readonly Buffer[] => {
  const run = writeRun(temporaryDirectory(t));
  return (["controller", "port"] as const).flatMap((role) => linesOf(run, role)).map(utf8);
};

test("what the writer writes goes the fast way", (t) => {
  for (const line of lines(t)) assert(assertSound(line), line.toString());
});

test("a changed byte never passes the scanner alone", (t) => {
  const samples = lines(t);
  fc.assert(
    fc.property(
      fc.constantFrom(...samples),
      fc.nat(),
      fc.integer({ min: 1, max: 255 }),
      (line, place, mask) => {
        assertSound(flip(line, place % line.length, mask));
      },
    ),
    { numRuns: profile.fuzz * 10, seed: profile.seed },
  );
});

test("a deleted, repeated or inserted stretch never passes the scanner alone", (t) => {
  const samples = lines(t);
  const stretch = fc.record({
    line: fc.constantFrom(...samples),
    from: fc.nat(),
    length: fc.nat(12),
    by: fc.constantFrom("", "0", '"', ",", "{}", "null", "-0", "1.5", "é", "\\n", ":", '"a":1,'),
  });
  fc.assert(
    fc.property(stretch, ({ line, from, length, by }) => {
      const at = from % line.length;
      assertSound(Buffer.concat([line.subarray(0, at), utf8(by), line.subarray(at + length)]));
    }),
    { numRuns: profile.fuzz * 10, seed: profile.seed },
  );
});

const measurement = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom(
      null,
      true,
      false,
      `sha256:${"0".repeat(64)}`,
      "x".repeat(1024),
      "x".repeat(1025),
    ),
    fc.maxSafeInteger(),
    fc.string(),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9_]{0,3}$/), tie("value"), { maxKeys: 3 }),
  ),
})).value;

test("any measurements, in any type of event, are judged as the slow path judges them", (t) => {
  const [sample] = lines(t);
  assert(sample !== undefined);
  const base = readRecordLine(sample);
  const names = Object.keys(EVENT_TYPES) as (keyof typeof EVENT_TYPES)[];
  const required = [
    "channel",
    "manifest",
    "toGuest",
    "fromGuest",
    "digest",
    "path",
    "list",
    "name",
  ];
  fc.assert(
    fc.property(
      fc.constantFrom(...names),
      fc.nat(5),
      fc.dictionary(fc.constantFrom(...required), measurement),
      (name, choice, measurements) => {
        const type = EVENT_TYPES[name];
        const decisions: readonly (string | null)[] = type.decisions ?? [null];
        const line = canonicalBytes({
          ...base,
          type: name,
          role: type.roles[0],
          class: type.class,
          mechanism: type.mechanism,
          decision: decisions[choice % decisions.length] ?? null,
          measurements: { ...measurements },
        });
        assertSound(line);
      },
    ),
    { numRuns: profile.fuzz * 5, seed: profile.seed },
  );
});
