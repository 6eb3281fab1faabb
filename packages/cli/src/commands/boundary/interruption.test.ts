import assert from "node:assert/strict";
import { test } from "node:test";
import { whenInterrupted } from "./interruption.js";

test("an interruption is acted on once, whether it comes before somebody waits for it or after", () => {
  const [before, after] = [new AbortController(), new AbortController()];
  const acted: string[] = [];
  before.abort();
  whenInterrupted(before.signal, () => acted.push("before"));
  whenInterrupted(after.signal, () => acted.push("after"));
  assert.deepEqual(acted, ["before"]);
  after.abort();
  assert.deepEqual(acted, ["before", "after"]);
});
