import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryDirectory } from "@drydock/testkit";
import { filesWith } from "./search.js";

test("files that hold a text of a value are found, wherever they are and whatever is around it", (t) => {
  const directory = temporaryDirectory(t);
  mkdirSync(join(directory, "a", "b"), { recursive: true });
  const value = { name: "LAB_NAME", detail: ["some detail", { descr: "a description" }] };
  writeFileSync(join(directory, "other"), "LAB_NAM");
  assert.equal(filesWith(directory, [value]), 0);
  writeFileSync(join(directory, "a", "b", "deep"), Buffer.from("\0\xffa description\0", "latin1"));
  assert.equal(filesWith(directory, [value]), 1);
  writeFileSync(join(directory, "a", "LAB_NAME"), "xLAB_NAMEx");
  assert.equal(filesWith(directory, [value]), 2);
});

test("what is so short that it may be anywhere isn't looked for", (t) => {
  const directory = temporaryDirectory(t);
  writeFileSync(join(directory, "file"), "host 12345 123456");
  assert.equal(filesWith(directory, ["host", 7, null, "12345"]), 0);
  assert.equal(filesWith(directory, ["123456"]), 1);
});
