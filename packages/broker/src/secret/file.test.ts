import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { temporaryDirectory } from "@drydock/testkit";
import { readSecretFile } from "./file.js";

const ME = process.getuid?.() ?? 0;

const fileWith = (t: TestContext, contents: string, mode: number): string => {
  const file = join(temporaryDirectory(t), "key");
  writeFileSync(file, contents);
  chmodSync(file, mode);
  return file;
};

const refused = (file: string, owners: readonly number[], message: RegExp): void => {
  assert.throws(() => readSecretFile(file, owners), { code: "SECRET_FILE", message });
};

test("a file of one's own that nobody else can read holds a secret", (t) => {
  const file = fileWith(t, "s3cret\n", 0o600);
  assert.equal(Buffer.from(readSecretFile(file, [ME])).toString(), "s3cret\n");
  const link = `${file}.link`;
  symlinkSync(file, link);
  assert.equal(Buffer.from(readSecretFile(link, [ME])).toString(), "s3cret\n");
});

for (const mode of [0o640, 0o604, 0o620, 0o602])
  test(`one with mode ${mode.toString(8)} doesn't`, (t) => {
    refused(fileWith(t, "s3cret\n", mode), [ME], /is open to others/);
  });

test("neither does another user's, a longer one, a directory, a pipe, nor one that isn't there", (t) => {
  refused(fileWith(t, "s3cret\n", 0o600), [ME + 1], /belongs to user/);
  refused(fileWith(t, "x".repeat(4097), 0o600), [ME], /is too long/);
  const directory = temporaryDirectory(t);
  mkdirSync(join(directory, "d"), { mode: 0o700 });
  refused(join(directory, "d"), [ME], /isn't a regular file/);
  execFileSync("mkfifo", ["-m", "600", join(directory, "p")]);
  refused(join(directory, "p"), [ME], /isn't a regular file/);
  refused(join(directory, "none"), [ME], /can't be read/);
});
