import assert from "node:assert/strict";
import { test } from "node:test";
import { isDrydockError } from "@drydock/evidence";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import { MAX_BYTES, MAX_DEPTH, MAX_ITEMS, MAX_NODES, MAX_STRING_BYTES } from "./bounds.js";
import { type CanonicalValue, canonicalBytes } from "./canonicalise.js";

const text = (value: unknown): string => canonicalBytes(value as CanonicalValue).toString("utf8");

const refusal = (value: unknown): { code: string; message: string } => {
  try {
    text(value);
  } catch (error) {
    if (isDrydockError(error)) return error;
    throw error;
  }
  return { code: "accepted", message: "" };
};

const nested = (depth: number): unknown => {
  let value: unknown = 0;
  for (let level = 0; level < depth; level += 1) value = [value];
  return value;
};

const arraysOf = (nodes: number): unknown => {
  // The outer array is a node, each inner one is, and so is each of its items.
  const inner = Array.from({ length: Math.floor((nodes - 1) / 1_000) }, () => Array(999).fill(0));
  const rest = nodes - 1 - inner.length * 1_000;
  return [...inner, ...Array(rest).fill(0)];
};

/** Bytes of `["…","…",…]` with strings of x. */
const stringsOf = (bytes: number): unknown => {
  const lengths: number[] = [];
  let left = bytes - 2 + 1;
  while (left > 60_000 + 3) {
    lengths.push(60_000);
    left -= 60_000 + 3;
  }
  lengths.push(left - 3);
  return lengths.map((length) => "x".repeat(length));
};

test("a value has one spelling: no spaces, keys by code point, text in NFC", () => {
  assert.equal(
    text({ b: [1, null, true], a: { y: "z", x: false } }),
    '{"a":{"x":false,"y":"z"},"b":[1,null,true]}',
  );
  assert.equal(text("e\u0301"), '"\u00e9"');
  assert.equal(text({ "e\u0301": 1 }), '{"\u00e9":1}');
  // U+1F600 begins with a surrogate, which sorts before U+FF21 by code unit and after it by code point.
  assert.equal(text({ "\u{1f600}": 1, "\uff21": 2 }), '{"\uff21":2,"\u{1f600}":1}');
  assert.equal(text('"\\\n\u0001\u2028'), '"\\"\\\\\\n\\u0001\u2028"');
});

for (const [name, edge, over] of [
  ["depth", nested(MAX_DEPTH), nested(MAX_DEPTH + 1)],
  ["values", arraysOf(MAX_NODES), arraysOf(MAX_NODES + 1)],
  ["items of an array", Array(MAX_ITEMS).fill(0), Array(MAX_ITEMS + 1).fill(0)],
  [
    "members of an object",
    Object.fromEntries(Array.from({ length: MAX_ITEMS }, (_, i) => [`k${i}`, 0])),
    Object.fromEntries(Array.from({ length: MAX_ITEMS + 1 }, (_, i) => [`k${i}`, 0])),
  ],
  ["bytes of a string", "x".repeat(MAX_STRING_BYTES), "x".repeat(MAX_STRING_BYTES + 1)],
  [
    "bytes of a string, not its characters",
    "\u00e9".repeat(MAX_STRING_BYTES / 2),
    `${"\u00e9".repeat(MAX_STRING_BYTES / 2)}x`,
  ],
  [
    "bytes of a string in NFC, not as it came",
    "e\u0301".repeat(MAX_STRING_BYTES / 2),
    `${"e\u0301".repeat(MAX_STRING_BYTES / 2)}x`,
  ],
  [
    "bytes of a key",
    { ["x".repeat(MAX_STRING_BYTES)]: 0 },
    { ["x".repeat(MAX_STRING_BYTES + 1)]: 0 },
  ],
  ["bytes of all", stringsOf(MAX_BYTES), stringsOf(MAX_BYTES + 1)],
  ["largest integer", 2n ** 63n - 1n, 2n ** 63n],
  ["smallest integer", -(2n ** 63n), -(2n ** 63n) - 1n],
] as const) {
  test(`${name}: the limit itself passes and one more doesn't`, () => {
    assert.doesNotThrow(() => text(edge));
    assert.equal(refusal(over).code, "CANONICAL_LIMIT");
  });
}

test("the whole form can be exactly as long as the limit", () => {
  assert.equal(text(stringsOf(MAX_BYTES)).length, MAX_BYTES);
});

test("a string that no composition could make short enough isn't even composed", () => {
  assert.equal(refusal("\u0301".repeat(MAX_STRING_BYTES * 4 + 1)).code, "CANONICAL_LIMIT");
});

for (const [name, bad, good] of [
  ["a float", 1.5, 1],
  ["negative zero", -0, 0],
  ["not a number", Number.NaN, 1],
  ["infinity", Number.POSITIVE_INFINITY, 1],
  ["a number that isn't exact", 2 ** 53, 2 ** 53 - 1],
  ["undefined", [undefined], [null]],
  // biome-ignore lint/suspicious/noSparseArray: a hole is what is tested
  ["a hole", [, 1], [0, 1]],
  ["a function", { f: () => 0 }, { f: 0 }],
  ["a map", new Map(), {}],
  ["a date", new Date(0), {}],
  ["bytes", Buffer.from("x"), ["x"]],
  ["a symbol", Symbol("x"), "x"],
  ["a symbol as a key", { [Symbol("x")]: 1 }, { x: 1 }],
  ["a lone surrogate", "\ud800", "\ud83d\ude00"],
  ["a lone surrogate in a key", { "\udc00": 1 }, { "\ud83d\ude00": 1 }],
] as const) {
  test(`${name} has no canonical form; what is nearest to it has`, () => {
    assert.equal(refusal(bad).code, "CANONICAL_INVALID");
    assert.doesNotThrow(() => text(good));
  });
}

test("two keys that are one in NFC are refused; two that stay two aren't", () => {
  assert.equal(refusal({ "\u00e9": 1, "e\u0301": 2 }).code, "CANONICAL_KEY_COLLISION");
  assert.equal(text({ "\u00e9": 1, e: 2 }), '{"e":2,"\u00e9":1}');
});

test("a key named __proto__ is a key like any other", () => {
  assert.equal(text(JSON.parse('{"__proto__":{"a":1}}')), '{"__proto__":{"a":1}}');
});

test("what is refused is named by its place and never by what it says", () => {
  for (const value of [{ hunter2: [1.5] }, { hunter2: "\ud800 hunter2" }, ["hunter2", undefined]]) {
    const { code, message } = refusal(value);
    assert.equal(code, "CANONICAL_INVALID");
    assert.doesNotMatch(message, /hunter2/);
    assert.match(message, / at \$/);
  }
});

const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom(null, true, false),
    fc.maxSafeInteger().map((n) => (Object.is(n, -0) ? 0 : n)),
    fc.string({ unit: "binary" }).filter((s) => s.isWellFormed()),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.string({ unit: "grapheme" }), tie("value"), { maxKeys: 4 }),
  ),
})).value;

const backwards = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(backwards)
    : value !== null && typeof value === "object"
      ? Object.fromEntries(
          Object.entries(value)
            .reverse()
            .map(([k, v]) => [k, backwards(v)]),
        )
      : value;

const inForm = (value: unknown, form: "NFC" | "NFD"): unknown =>
  typeof value === "string"
    ? value.normalize(form)
    : Array.isArray(value)
      ? value.map((item) => inForm(item, form))
      : value !== null && typeof value === "object"
        ? Object.fromEntries(
            Object.entries(value).map(([k, v]) => [k.normalize(form), inForm(v, form)]),
          )
        : value;

test("neither the order of keys nor how text is composed makes another spelling, and what is written reads back", () => {
  fc.assert(
    fc.property(json, (value) => {
      const outcome = refusal(value).code;
      fc.pre(outcome === "accepted");
      const spelled = text(value);
      assert.equal(text(backwards(value)), spelled);
      assert.equal(text(inForm(value, "NFD")), spelled);
      assert.deepEqual(JSON.parse(spelled), JSON.parse(JSON.stringify(inForm(value, "NFC"))));
      assert.equal(text(JSON.parse(spelled)), spelled);
    }),
    { seed: profile.seed, numRuns: profile.fuzz },
  );
});
