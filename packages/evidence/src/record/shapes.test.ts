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
import { KnownShapes } from "./shapes.js";

const accepted = (line: Buffer): EvidenceRecord | null => {
  try {
    const record = readRecordLine(line);
    return eventProblem(record) === null ? record : null;
  } catch (error) {
    if (isDrydockError(error)) return null;
    throw error;
  }
};

const TIMES = 10;

/** Shapes of these lines, each of which was read often enough to be worth it. */
const shapesOf = (lines: readonly Buffer[]): KnownShapes => {
  const shapes = new KnownShapes();
  for (const line of lines) {
    const record = accepted(line);
    assert(record !== null);
    for (let time = 0; time < TIMES; time += 1) shapes.learn(record, line.toString("latin1"));
  }
  return shapes;
};

/** Yes from the fast path has to be yes from the slow one, about the same record. */
const assertSound = (shapes: KnownShapes, line: Buffer): boolean => {
  const head = shapes.match(line.toString("latin1"));
  if (head === null) return false;
  const record = accepted(line);
  assert(record !== null, `only a shape accepts ${line.toString("latin1")}`);
  for (const field of Object.keys(head) as (keyof typeof head)[]) {
    assert.equal(head[field], record[field], field);
  }
  assert.deepEqual(JSON.parse(line.toString("latin1")), record);
  return true;
};

const lines = (t: Parameters<typeof temporaryDirectory>[0]): readonly Buffer[] => {
  const run = writeRun(temporaryDirectory(t));
  return (["controller", "port"] as const).flatMap((role) => linesOf(run, role)).map(utf8);
};

test("what the writer writes goes the fast way, once its form is known", (t) => {
  const samples = lines(t);
  const shapes = shapesOf(samples);
  for (const line of samples) {
    assert.equal(new KnownShapes().match(line.toString("latin1")), null);
    assert(assertSound(shapes, line), line.toString());
  }
});

test("a short log learns no shapes", (t) => {
  const [line = Buffer.alloc(0)] = lines(t);
  const record = accepted(line);
  assert(record !== null);
  const shapes = new KnownShapes();
  const text = line.toString("latin1");
  const times: number[] = [];
  for (let time = 1; time <= TIMES; time += 1) {
    shapes.learn(record, text);
    if (shapes.match(text) !== null) times.push(time);
  }
  assert.deepEqual(times, [9, 10]);
});

test("another number, digest or time of any length fits; a longer id or text than may be doesn't", (t) => {
  const [, sample] = lines(t);
  assert(sample !== undefined);
  const base = accepted(sample);
  assert(base !== null);
  const lineOf = (changes: object) => canonicalBytes({ ...base, ...changes });
  const measurements = (name: string, bytes: number) => ({
    measurements: { ...base.measurements, free: name, bytes },
  });
  const shapes = shapesOf([lineOf(measurements("x", 0))]);
  const fits = (changes: object): boolean =>
    assertSound(shapes, lineOf({ ...measurements("x", 0), ...changes }));
  for (const length of [1, 60, 127, 128]) assert(fits({ event: "e".repeat(length) }), `${length}`);
  for (const length of [0, 127, 128, 129, 1024]) assert(fits(measurements("t".repeat(length), 7)));
  for (const bytes of [0, 9, 10, 999_999_999_999_999]) assert(fits(measurements("", bytes)));
  assert(!fits({ event: "e".repeat(129) }));
  assert(!fits({ event: "e".repeat(1000) }));
  const shortest = { monotonicUs: 0, sequence: 0, measurements: { bytes: 0, free: "", name: "S" } };
  assert(fits({ ...shortest, event: "e".repeat(128) }));
  assert(!fits({ ...shortest, event: "e".repeat(129) }));
  assert(!fits(measurements("t".repeat(1025), 7)));
  assert(!fits(measurements("x", -1)));
  assert(!fits(measurements("x", Number.MAX_SAFE_INTEGER)));
  for (const text of ["\u00e9", '"', "\\", "\n", "\u0000"])
    assert(!fits(measurements(text, 1)), text);
  assert(fits(measurements("\u007f ~", 1)));
});

test("a changed byte never passes by its shape alone", (t) => {
  const samples = lines(t);
  const shapes = shapesOf(samples);
  fc.assert(
    fc.property(
      fc.constantFrom(...samples),
      fc.nat(),
      fc.integer({ min: 1, max: 255 }),
      (line, place, mask) => {
        assertSound(shapes, flip(line, place % line.length, mask));
      },
    ),
    { numRuns: profile.fuzz * 10, seed: profile.seed },
  );
});

test("nothing may stand before a line or behind it", (t) => {
  const samples = lines(t);
  const shapes = shapesOf(samples);
  for (const line of samples) {
    for (const more of [" ", "\n", "}", "\0", "{}"]) {
      assert(assertSound(shapes, line));
      assert(!assertSound(shapes, Buffer.concat([line, utf8(more)])));
      assert(!assertSound(shapes, Buffer.concat([utf8(more), line])));
    }
  }
});

test("a deleted, repeated or inserted stretch never passes by its shape alone", (t) => {
  const samples = lines(t);
  const shapes = shapesOf(samples);
  const stretch = fc.record({
    line: fc.constantFrom(...samples),
    from: fc.nat(),
    length: fc.nat(12),
    by: fc.constantFrom("", "0", '"', ",", "{}", "null", "-0", "1.5", "é", "\\n", ":", '"a":1,'),
  });
  fc.assert(
    fc.property(stretch, ({ line, from, length, by }) => {
      const at = from % line.length;
      assertSound(
        shapes,
        Buffer.concat([line.subarray(0, at), utf8(by), line.subarray(at + length)]),
      );
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
      fc.dictionary(fc.constantFrom(...required), measurement),
      (name, choice, learned, tried) => {
        const type = EVENT_TYPES[name];
        const decisions: readonly (string | null)[] = type.decisions ?? [null];
        const lineOf = (measurements: object): Buffer =>
          canonicalBytes({
            ...base,
            type: name,
            role: type.roles[0],
            class: type.class,
            mechanism: type.mechanism,
            decision: decisions[choice % decisions.length] ?? null,
            measurements: { ...measurements },
          });
        const line = lineOf(learned);
        if (accepted(line) === null) return;
        const shapes = shapesOf([line]);
        assertSound(shapes, line);
        assertSound(shapes, lineOf(tried));
        // One value from the other: near enough to fit now and then.
        for (const key of Object.keys(tried)) {
          if (key in learned) assertSound(shapes, lineOf({ ...learned, [key]: tried[key] }));
        }
      },
    ),
    { numRuns: profile.fuzz * 5, seed: profile.seed },
  );
});
