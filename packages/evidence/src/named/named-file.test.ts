import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { temporaryDirectory } from "@drydock/testkit";
import { readNamedFile } from "./named-file.js";

const pipeIn = (t: TestContext): string => {
  const pipe = join(temporaryDirectory(t), "pipe");
  execFileSync("mkfifo", [pipe]);
  return pipe;
};

test("a file, and a link to one, is read up to its bound", (t) => {
  const file = join(temporaryDirectory(t), "file");
  writeFileSync(file, "x".repeat(100_000));
  symlinkSync(file, `${file}.link`);
  assert.equal(readNamedFile(`${file}.link`, { maxBytes: 100_000 }).length, 100_000);
  assert.throws(() => readNamedFile(file, { maxBytes: 99_999 }), { code: "FILE_TOO_LARGE" });
});

test("what has no end, and what is no file, is refused", (t) => {
  const directory = temporaryDirectory(t);
  mkdirSync(join(directory, "folder"));
  symlinkSync("loop", join(directory, "loop"));
  for (const path of [
    "/dev/zero",
    "/dev/null",
    ...["folder", "loop", "none"].map((name) => join(directory, name)),
  ])
    assert.throws(() => readNamedFile(path), { code: "FILE_UNREADABLE" }, path);
});

test("a pipe that nobody writes into is empty, and doesn't hold its reader", (t) => {
  assert.equal(readNamedFile(pipeIn(t)).length, 0);
});

test("a pipe is read until its writer is done, also when that takes its time", async (t) => {
  const pipe = pipeIn(t);
  // It opens for reading as well, so that it has both ends before the file is read.
  const writer = spawn(
    "sh",
    ["-c", 'exec 3<>"$0"; echo ready; printf one >&3; sleep 0.2; printf two >&3', pipe],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  await new Promise((resolve) => writer.stdout.once("data", resolve));
  assert.equal(readNamedFile(pipe).toString(), "onetwo");
});

test("a pipe whose writer stays silent is given up", async (t) => {
  const pipe = pipeIn(t);
  const writer = spawn("sh", ["-c", 'exec 3<>"$0"; echo ready; exec sleep 60', pipe], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => writer.kill());
  await new Promise((resolve) => writer.stdout.once("data", resolve));
  assert.throws(() => readNamedFile(pipe, { pipeWithinMs: 100 }), {
    code: "FILE_UNREADABLE",
    message: /stays silent/,
  });
});
