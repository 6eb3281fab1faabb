import assert from "node:assert/strict";
import { test } from "node:test";
import { profile } from "@drydock/testkit";
import canonicalize from "canonicalize";
import fc from "fast-check";
import { flip, utf8 } from "../testing/bytes.js";
import { canonicalise } from "./canonical.js";
import { parseJson } from "./parse.js";
import { isCanonical, parseCanonical } from "./parse-canonical.js";

const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, false),
    fc.maxSafeInteger().map((number) => number + 0),
    fc.string({ unit: "grapheme" }),
    fc.string({ unit: "binary" }).filter((text) => !LONE.test(text)),
    fc.array(tie("value"), { maxLength: 5 }),
    fc.dictionary(fc.string({ unit: "grapheme" }), tie("value"), {
      maxKeys: 6,
      noNullPrototype: true,
    }),
  ),
})).value;
const LONE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

test("writes what the reference canonicaliser writes", () => {
  fc.assert(
    fc.property(value, (item) => {
      assert.equal(canonicalise(item), canonicalize(item));
    }),
    { numRuns: profile.fuzz, seed: profile.seed },
  );
});

test("sorts keys by UTF-16 units, as RFC 8785 §3.2.3 shows", () => {
  const item = {
    "\u20ac": 1,
    "\r": 2,
    "\ufb33": 3,
    "1": 4,
    "\ud83d\ude00": 5,
    "\u0080": 6,
    "\u00f6": 7,
  };
  assert.deepEqual(Object.keys(JSON.parse(canonicalise(item))), [
    "1",
    "\r",
    "\u0080",
    "\u00f6",
    "\u20ac",
    "\ud83d\ude00",
    "\ufb33",
  ]);
});

test("refuses what has no one canonical form", () => {
  const hole = new Array(2);
  const cycle: unknown[] = [];
  cycle.push(cycle);
  const refused: readonly unknown[] = [
    undefined,
    { a: undefined },
    { a: () => 1 },
    { a: Symbol("s") },
    { [Symbol("s")]: 1 },
    1n,
    0.5,
    -0,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    2 ** 53,
    "\ud800",
    { "\udc00": 1 },
    new Map(),
    new Date(0),
    Buffer.from("x"),
    hole,
    cycle,
  ];
  for (const item of refused) {
    assert.throws(() => canonicalise(item), { code: "JSON_VALUE" }, String(item));
  }
});

test("what it writes reads back equal and is canonical", () => {
  fc.assert(
    fc.property(value, (item) => {
      const bytes = utf8(canonicalise(item));
      assert.deepEqual(parseJson(bytes), item);
      assert(isCanonical(bytes));
    }),
    { numRuns: profile.fuzz, seed: profile.seed },
  );
});

const NOT_CANONICAL = [
  '{"b":1,"a":2}',
  '{"a": 1}',
  "[1 ]",
  " 1",
  "1\n",
  '"\\u0061"',
  '"\\/"',
  '"\\u000A"',
  '"\\u001F"',
];

test("isCanonical and parseCanonical refuse every other spelling", () => {
  for (const text of NOT_CANONICAL) {
    assert(!isCanonical(utf8(text)), text);
    assert.throws(() => parseCanonical(utf8(text)), { code: "JSON_NOT_CANONICAL" }, text);
  }
  for (const text of ['{"a":2,"b":1}', "[1]", '"a"', '"/"', '"\\n"', '"\\u001f"']) {
    assert(isCanonical(utf8(text)), text);
    parseCanonical(utf8(text));
  }
  assert(!isCanonical(utf8("{")));
});

test("a canonical text with a flipped bit is another value or none", () => {
  fc.assert(
    fc.property(value, fc.nat(), fc.integer({ min: 0, max: 7 }), (item, place, bit) => {
      const bytes = utf8(canonicalise(item));
      const changed = flip(bytes, place % bytes.length, 1 << bit);
      if (isCanonical(changed)) assert.notDeepEqual(parseJson(changed), item);
    }),
    { numRuns: profile.fuzz, seed: profile.seed },
  );
});
