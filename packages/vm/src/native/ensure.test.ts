import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { temporaryDirectory } from "@drydock/testkit";
import { neededLibraries } from "../image/build/elf.js";
import { systemTools } from "../image/tools.js";
import { openStore } from "../store/index.js";
import { buildNative, ensureNative } from "./ensure.js";

const tools = systemTools();

const setUp = (t: TestContext, program = "int main(void) { return 7; }\n") => {
  const work = temporaryDirectory(t);
  const source = join(work, "drydock-native.c");
  writeFileSync(source, program);
  return { work, source, store: openStore(join(work, "store")) };
};

test("a static program is compiled once and runs where it lies", async (t) => {
  const { source, store } = setUp(t);
  const path = await ensureNative(store, tools, source);
  assert.equal(spawnSync(path).status, 7);
  assert.deepEqual(neededLibraries(readFileSync(path), path), []);
  const before = process.hrtime.bigint();
  assert.equal(await ensureNative(store, tools, source), path);
  assert.ok(process.hrtime.bigint() - before < 1_000_000_000n);
});

test("two stores get the same bytes; another source gets others", async (t) => {
  const [one, two] = [setUp(t), setUp(t)];
  const other = setUp(t, "int main(void) { return 8; }\n");
  const digests = [];
  for (const { store, source } of [one, two, other]) {
    digests.push((await buildNative(store, tools, source)).digest);
  }
  assert.equal(digests[0], digests[1]);
  assert.notEqual(digests[0], digests[2]);
});

test("a changed source is compiled again", async (t) => {
  const { source, store } = setUp(t);
  const first = await ensureNative(store, tools, source);
  writeFileSync(source, "int main(void) { return 9; }\n");
  const second = await ensureNative(store, tools, source);
  assert.notEqual(first, second);
  assert.equal(spawnSync(second).status, 9);
});

test("a missing compiler or source is named with its fix", async (t) => {
  const { work, source, store } = setUp(t);
  await assert.rejects(ensureNative(store, systemTools("/nonexistent"), source), {
    code: "IMAGE_TOOL_MISSING",
    fix: "apt-get install gcc libc6-dev",
  });
  await assert.rejects(ensureNative(store, tools, join(work, "absent.c")), { code: "IMAGE_INPUT" });
  writeFileSync(source, "int main(void) { return }\n");
  await assert.rejects(ensureNative(store, tools, source), { code: "IMAGE_TOOL_FAILED" });
  assert.equal(execFileSync("ls", [store.tmp], { encoding: "utf8" }), "");
});
