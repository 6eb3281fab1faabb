import assert from "node:assert/strict";
import { test } from "node:test";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import { ENDPOINTS } from "../client/index.js";
import { answerOf, HISTORY_PATH, type Revision, revisions } from "../testing/revisions.js";
import { pfsenseRevisions } from "./pfsense-revisions.js";
import { HISTORY_SOURCES, historySourceOf } from "./sources.js";

const { headOf, path, query } = pfsenseRevisions;
const parameters = { numRuns: profile.fuzz, seed: profile.seed };
const SOUND = revisions(3);
const refuses = (rows: unknown, code: string, more = {}) =>
  assert.throws(() => headOf(answerOf(rows, more)), { name: "DrydockError", code });
/** The list with one row changed. */
const but = (place: number, change: Readonly<Record<string, unknown>>) =>
  SOUND.map((row, at) => (at === place ? { ...row, ...change } : row));

test("the first of the list is the head, without its place in it", () => {
  const [{ id: _, ...newest }] = SOUND as readonly [Revision, ...Revision[]];
  assert.deepEqual(headOf(answerOf(SOUND)), newest);
  assert.deepEqual(headOf(answerOf(SOUND.slice(0, 1))), newest);
  assert.deepEqual(headOf(answerOf(SOUND, { _links: {} })), newest);
  assert.equal(path, HISTORY_PATH);
});

test("as many as are asked for are taken, and one more isn't an answer to that", () => {
  const limit = query["limit"] ?? 0;
  assert.equal(limit, 30);
  headOf(answerOf(revisions(limit)));
  refuses(revisions(limit + 1), "HISTORY_INVALID");
});

test("anything but a 200 is a refusal, whatever its body says", () => {
  for (const status of [199, 201, 204, 301, 401, 403, 404, 500, 503])
    assert.throws(() => headOf({ ...answerOf(SOUND), status }), { code: "HISTORY_REFUSED" });
});

test("an envelope that isn't one of success is no history", () => {
  for (const more of [
    { code: 500 },
    { status: "error" },
    { response_id: "ENDPOINT_RECEIVED_UNEXPECTED_ERROR" },
    { message: null },
    { data: null },
    { data: {} },
    { more: 1 },
  ])
    refuses(SOUND, "HISTORY_INVALID", more);
  for (const body of [null, "", [], {}, SOUND])
    assert.throws(() => headOf({ status: 200, body }), { code: "HISTORY_INVALID" });
});

test("a row with a key more or less, or of another type, is no revision, wherever it is", () => {
  for (const place of [0, 1, 2]) {
    for (const key of Object.keys(SOUND[0] ?? {})) {
      for (const value of [undefined, null, true, [], {}, 1.5, -1])
        refuses(but(place, { [key]: value }), "HISTORY_INVALID");
    }
    refuses(but(place, { more: 1 }), "HISTORY_INVALID");
    for (const key of ["id", "time", "filesize"])
      refuses(but(place, { [key]: "1" }), "HISTORY_INVALID");
    for (const key of ["description", "version"])
      refuses(but(place, { [key]: 1 }), "HISTORY_INVALID");
  }
});

test("texts are bounded, and within that anything, also nothing", () => {
  for (const [key, limit] of [
    ["description", 4_096],
    ["version", 64],
  ] as const) {
    headOf(answerOf(but(0, { [key]: "" })));
    headOf(answerOf(but(0, { [key]: "x".repeat(limit) })));
    refuses(but(0, { [key]: "x".repeat(limit + 1) }), "HISTORY_INVALID");
  }
});

test("none is no revision to go back to", () => {
  refuses([], "HISTORY_EMPTY");
});

test("a newest revision without bytes is none to go back to, and an older one says nothing", () => {
  refuses(but(0, { filesize: 0 }), "HISTORY_UNRESTORABLE");
  headOf(answerOf(but(0, { filesize: 1 })));
  headOf(answerOf(but(1, { filesize: 0 })));
});

test("two of one second, an older one first, and a place that is another's are disorder", () => {
  const [first, second, third] = SOUND as readonly [Revision, Revision, Revision];
  refuses(but(1, { time: first.time }), "HISTORY_DISORDERED");
  headOf(answerOf(but(1, { time: first.time - 1 })));
  refuses(but(1, { time: first.time + 1 }), "HISTORY_DISORDERED");
  refuses(but(2, { time: second.time }), "HISTORY_DISORDERED");
  refuses(but(1, { id: 0 }), "HISTORY_DISORDERED");
  refuses(but(0, { id: 1 }), "HISTORY_DISORDERED");
  refuses([first, third], "HISTORY_DISORDERED");
  refuses([second, third], "HISTORY_DISORDERED");
  // One that came with the appliance has no time; it is the oldest.
  headOf(answerOf(but(2, { time: 0 })));
  refuses(but(0, { time: 0 }), "HISTORY_DISORDERED");
});

const history: fc.Arbitrary<readonly Revision[]> = fc
  .uniqueArray(
    fc.record({
      time: fc.nat({ max: 2 ** 40 }),
      description: fc.string({ maxLength: 40 }),
      version: fc.constantFrom("23.3", "?", ""),
      filesize: fc.integer({ min: 1, max: 2 ** 40 }),
    }),
    { selector: ({ time }) => time, minLength: 2, maxLength: 30 },
  )
  .map((rows) => rows.sort((a, b) => b.time - a.time).map((row, id) => ({ id, ...row })));

test("whatever the history, its newest is the head; with any two in each other's place it has none", () => {
  fc.assert(
    fc.property(history, fc.nat(), fc.nat(), (rows, one, other) => {
      const { id: _, ...newest } = rows[0] as Revision;
      assert.deepEqual(headOf(answerOf(rows)), newest);
      const [a, b] = [one % rows.length, other % rows.length];
      if (a === b) return;
      const swapped = rows.with(a, rows[b] as Revision).with(b, rows[a] as Revision);
      refuses(swapped, "HISTORY_DISORDERED");
      // Nor with their places put right.
      refuses(
        swapped.map((row, id) => ({ ...row, id })),
        "HISTORY_DISORDERED",
      );
    }),
    parameters,
  );
});

test("no JSON makes it fail otherwise than by its codes, and none of it is repeated", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
      for (const rows of [value, [value], [...SOUND, value]]) {
        try {
          headOf(answerOf(rows));
        } catch (error) {
          assert.ok(error instanceof Error);
          assert.match(String(Reflect.get(error, "code")), /^HISTORY_(INVALID|EMPTY)$/);
          assert.equal(error.cause, undefined);
        }
      }
    }),
    parameters,
  );
});

test("every endpoint says whose history it has, and what isn't listed has none to be left out", () => {
  assert.deepEqual(Object.keys(HISTORY_SOURCES).sort(), Object.keys(ENDPOINTS).sort());
  assert.equal(historySourceOf("FIREWALL_ALIAS"), pfsenseRevisions);
  assert.equal(historySourceOf("SYNTHETIC_NOTICE"), null);
  for (const other of ["FIREWALL_RULE", "", "constructor", "__proto__", "toString"])
    assert.throws(() => historySourceOf(other), { code: "HISTORY_UNKNOWN" });
});
