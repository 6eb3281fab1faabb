import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { canonicalBytes } from "@drydock/evidence";
import {
  commitEnvironment,
  committedEnvironment,
  effectiveEnvironment,
} from "./commit-environment.js";

const KEY = Buffer.alloc(32, 1);
const OTHER_KEY = Buffer.alloc(32, 2);
const SECRET = effectiveEnvironment({ PIN: "4711" });

test("the same key and environment give the same commitment, whatever the order of names", () => {
  const there = commitEnvironment(KEY, { A: "1", B: "2" });
  assert.match(there, /^hmac-sha256:[0-9a-f]{64}$/);
  assert.equal(commitEnvironment(KEY, { B: "2", A: "1" }), there);
});

test("every value counts, also one that nobody gave", () => {
  const before = commitEnvironment(KEY, SECRET);
  assert.notEqual(commitEnvironment(KEY, effectiveEnvironment({ PIN: "4712" })), before);
  assert.notEqual(commitEnvironment(KEY, { ...SECRET, PATH: "/elsewhere" }), before);
  assert.deepEqual(Object.keys(SECRET).sort(), ["HOME", "LANG", "PATH", "PIN", "TERM"]);
  assert.equal(effectiveEnvironment({ HOME: "/root" })["HOME"], "/root");
});

test("whoever tries all values finds the secret with the key, and not without it", () => {
  const evidence = commitEnvironment(KEY, SECRET);
  const guesses = Array.from({ length: 10_000 }, (_, pin) => ({
    ...SECRET,
    PIN: String(pin).padStart(4, "0"),
  }));
  const found = (commit: (guess: Readonly<Record<string, string>>) => string): number =>
    guesses.findIndex((guess) => evidence.includes(commit(guess)));
  const hex = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
  assert.equal(
    found((guess) => hex(canonicalBytes(guess))),
    -1,
  );
  assert.equal(
    found((guess) => commitEnvironment(OTHER_KEY, guess)),
    -1,
  );
  assert.equal(
    found((guess) => commitEnvironment(KEY, guess)),
    4711,
    "the positive control",
  );
});

test("a variable of the run's own counts by its name: with its value no two runs would be alike", () => {
  const commit = (own: readonly string[]): string =>
    commitEnvironment(KEY, committedEnvironment(SECRET, own));
  assert.equal(commit(["API_KEY"]), commit(["API_KEY"]));
  assert.notEqual(commit(["API_KEY"]), commit(["OTHER_KEY"]));
  assert.notEqual(commit(["API_KEY"]), commitEnvironment(KEY, SECRET));
});
