import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryDirectory } from "@drydock/testkit";
import { type CpioMember, writeCpio } from "./cpio.js";

const MEMBERS: readonly CpioMember[] = [
  { kind: "directory", path: "/etc", mode: 0o755 },
  { kind: "file", path: "/etc/modules", mode: 0o644, content: Buffer.from("abc\n") },
  { kind: "file", path: "/init", mode: 0o755, content: Buffer.alloc(5000, 1) },
];

test("busybox unpacks what is written", (t) => {
  const work = temporaryDirectory(t);
  const input = writeCpio(MEMBERS);
  execFileSync("busybox", ["cpio", "-id"], { cwd: work, input, stdio: ["pipe", "pipe", "pipe"] });
  assert.equal(readFileSync(join(work, "etc/modules"), "utf8"), "abc\n");
  assert.equal(readFileSync(join(work, "init")).length, 5000);
});

test("equal members are equal bytes, whole in units of four", () => {
  assert.deepEqual(writeCpio(MEMBERS), writeCpio(MEMBERS));
  assert.equal(writeCpio(MEMBERS).length % 4, 0);
});
