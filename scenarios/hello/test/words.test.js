import assert from "node:assert/strict";
import { test } from "node:test";
import { frequencies, words } from "../lib/words.js";

test("words are split at spaces and punctuation and lower-cased", () => {
  assert.deepEqual(words("Dry dock, dry!"), ["dry", "dock", "dry"]);
});

test("an apostrophe or hyphen inside a word belongs to it", () => {
  assert.deepEqual(words("don't re-use — it's cheap"), ["don't", "re-use", "it's", "cheap"]);
});

test("frequencies come most frequent first, ties in alphabetical order", () => {
  assert.deepEqual(frequencies("b a b c"), [
    ["b", 2],
    ["a", 1],
    ["c", 1],
  ]);
});
