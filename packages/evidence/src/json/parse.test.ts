import assert from "node:assert/strict";
import { test } from "node:test";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import { utf8 } from "../testing/bytes.js";
import { JsonError, type JsonErrorCode } from "./error.js";
import { parseJson } from "./parse.js";

const ACCEPTED: readonly (readonly [string, unknown])[] = [
  ["null", null],
  [" [ true , false ] \n", [true, false]],
  ['{"a":{"b":[]},"":0}', { a: { b: [] }, "": 0 }],
  ["-9007199254740991", -9007199254740991],
  ['"\\u00e9\\ud83d\\ude00\\/\\b\\f\\n\\r\\t\\"\\\\"', 'é😀/\b\f\n\r\t"\\'],
  ['"é😀"', "é😀"],
];

test("reads what RFC 8259 and the format allow", () => {
  for (const [text, value] of ACCEPTED) assert.deepEqual(parseJson(utf8(text)), value, text);
});

const REFUSED: readonly (readonly [string | Buffer, JsonErrorCode, number])[] = [
  ["", "JSON_SYNTAX", 0],
  ["{", "JSON_SYNTAX", 1],
  ["[1,]", "JSON_SYNTAX", 3],
  ['{"a":1,}', "JSON_SYNTAX", 7],
  ["{a:1}", "JSON_SYNTAX", 1],
  ["nul", "JSON_SYNTAX", 0],
  ["NaN", "JSON_SYNTAX", 0],
  ["+1", "JSON_SYNTAX", 0],
  ["1 2", "JSON_TRAILING", 2],
  ["{}\0", "JSON_TRAILING", 2],
  ['{"a":1,"a":1}', "JSON_DUPLICATE_KEY", 7],
  ['{"a":1,"\\u0061":2}', "JSON_DUPLICATE_KEY", 7],
  ['{"__proto__":1,"__proto__":2}', "JSON_DUPLICATE_KEY", 15],
  ["1.0", "JSON_NUMBER", 0],
  ["[1e3]", "JSON_NUMBER", 1],
  ["-0", "JSON_NUMBER", 0],
  ["01", "JSON_NUMBER", 0],
  ["9007199254740992", "JSON_NUMBER", 0],
  ["-9007199254740992", "JSON_NUMBER", 0],
  ["1".repeat(400), "JSON_NUMBER", 0],
  ['"\\ud800"', "JSON_STRING", 1],
  ['"\\udc00\\ud800"', "JSON_STRING", 1],
  ['"\\u12g4"', "JSON_STRING", 3],
  ['"\\x"', "JSON_STRING", 1],
  ['"a\nb"', "JSON_STRING", 2],
  ['"abc', "JSON_STRING", 4],
  ['"abc\\', "JSON_STRING", 5],
  ["\ufeff{}", "JSON_SYNTAX", 0],
  [Buffer.from([0x22, 0x61, 0xff, 0x22]), "JSON_UTF8", 2],
  [Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), "JSON_UTF8", 1],
  [Buffer.from([0x22, 0xc3, 0xa9, 0xc0, 0x80, 0x22]), "JSON_UTF8", 3],
  ["[".repeat(33), "JSON_LIMIT", 32],
];

test("refuses what two readers could read differently, and says where", () => {
  for (const [text, code, offset] of REFUSED) {
    const bytes = typeof text === "string" ? utf8(text) : text;
    assert.throws(
      () => parseJson(bytes),
      (error) => {
        assert(error instanceof JsonError, String(error));
        assert.deepEqual([error.code, error.offset], [code, offset], String(text).slice(0, 40));
        return true;
      },
    );
  }
});

test("keeps a __proto__ member as data", () => {
  const value = parseJson(utf8('{"__proto__":{"polluted":1}}'));
  assert.deepEqual(Object.keys(value as object), ["__proto__"]);
  assert.equal(Object.getPrototypeOf(value), Object.prototype);
  assert.equal((value as Record<string, unknown>)["polluted"], undefined);
});

test("limits bytes, depth and values, each just passed and just held", () => {
  const deep = (n: number) => utf8("[".repeat(n) + "]".repeat(n));
  parseJson(deep(4), { maxDepth: 4 });
  assert.throws(() => parseJson(deep(5), { maxDepth: 4 }), { code: "JSON_LIMIT" });
  parseJson(utf8("[1,2]"), { maxNodes: 3 });
  assert.throws(() => parseJson(utf8("[1,2,3]"), { maxNodes: 3 }), { code: "JSON_LIMIT" });
  parseJson(utf8("[1,2]"), { maxBytes: 5 });
  assert.throws(() => parseJson(utf8("[1,2] "), { maxBytes: 5 }), { code: "JSON_LIMIT" });
});

const safeJson = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, false),
    fc.maxSafeInteger(),
    fc.string({ unit: "grapheme" }),
    fc.array(tie("value"), { maxLength: 5 }),
    fc.dictionary(fc.string({ unit: "grapheme" }), tie("value"), {
      maxKeys: 5,
      noNullPrototype: true,
    }),
  ),
})).value;

test("agrees with JSON.parse wherever it accepts", () => {
  fc.assert(
    fc.property(safeJson, fc.constantFrom(undefined, 1, "\t"), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      assert.deepEqual(parseJson(utf8(text)), JSON.parse(text));
    }),
    { numRuns: profile.fuzz, seed: profile.seed },
  );
});

test("never accepts bytes that JSON.parse refuses, and throws nothing but JsonError", () => {
  const noise = fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    fc
      .array(fc.constantFrom(...'{}[]:,"\\u0123456789abcdefDd8-+.eEntrfals \n'.split("")), {
        maxLength: 30,
      })
      .map((characters) => utf8(characters.join(""))),
  );
  fc.assert(
    fc.property(noise, (bytes) => {
      let value: unknown;
      try {
        value = parseJson(bytes);
      } catch (error) {
        assert(error instanceof JsonError);
        assert(error.offset >= 0 && error.offset <= bytes.length);
        return;
      }
      assert.deepEqual(value, JSON.parse(Buffer.from(bytes).toString("utf8")));
    }),
    { numRuns: profile.fuzz * 5, seed: profile.seed },
  );
});
