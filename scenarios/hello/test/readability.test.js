import assert from "node:assert/strict";
import { test } from "node:test";
import { meanSentenceLength, sentences } from "../lib/readability.js";

test("sentences end at full stops, question and exclamation marks", () => {
  assert.deepEqual(sentences("One. Two? Three!"), ["One", "Two", "Three"]);
});

test("a full stop inside a number ends nothing", () => {
  assert.equal(sentences("Version 1.5 works.").length, 1);
});

test("mean sentence length counts words, and is 0 for an empty text", () => {
  assert.equal(meanSentenceLength("One two. Three four five six."), 3);
  assert.equal(meanSentenceLength(""), 0);
});
