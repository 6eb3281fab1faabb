import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryDirectory } from "@drydock/testkit";
import { replaceFile, requireReplaceable } from "./replace-file.js";

test("a file is replaced, and never by way of a link that somebody put beside it", (t) => {
  const directory = temporaryDirectory(t);
  const file = join(directory, "file");
  const elsewhere = join(directory, "elsewhere");
  writeFileSync(elsewhere, "somebody else's");
  symlinkSync(elsewhere, `${file}.new-${process.pid}`);
  symlinkSync(elsewhere, file);
  replaceFile(file, Buffer.from("one"));
  assert.equal(readFileSync(file, "utf8"), "one");
  replaceFile(file, Buffer.from("two"));
  assert.equal(readFileSync(file, "utf8"), "two");
  assert.equal(readFileSync(elsewhere, "utf8"), "somebody else's");
});

test("what can't be replaced leaves nothing beside it", (t) => {
  const directory = temporaryDirectory(t);
  mkdirSync(join(directory, "file"));
  assert.throws(() => replaceFile(join(directory, "file"), Buffer.from("one")));
  assert.deepEqual(readdirSync(directory), ["file"]);
});

test("a device, a link and a directory aren't named for a file that is replaced", (t) => {
  const directory = temporaryDirectory(t);
  const file = join(directory, "file");
  requireReplaceable(file);
  writeFileSync(file, "one");
  requireReplaceable(file);
  symlinkSync(file, join(directory, "link"));
  for (const other of ["/dev/null", join(directory, "link"), directory])
    assert.throws(() => requireReplaceable(other), { code: "FILE_UNWRITABLE" }, other);
});
