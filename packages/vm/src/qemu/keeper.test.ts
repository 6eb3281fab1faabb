import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Digest } from "@drydock/evidence";
import { temporaryDirectory } from "@drydock/testkit";
import { testNative } from "../testing/lab.js";
import { keeperPrefix, openKept, startKeeper, stopKeepers } from "./keeper.js";

const BYTES = 1024 * 1024;
const MEMORY: Digest = `sha256:${"0".repeat(64)}`;

test("a store stops its own keepers, goes on past a record that it can't read, and names it", async (t) => {
  const base = temporaryDirectory(t);
  const registry = join(base, "registry");
  const native = await testNative();
  const stores = ["mine", "other"].map((name) => join(base, name));
  const [mine = "", other = ""] = stores;
  t.after(() => stopKeepers(registry));
  const keyOf = (store: string): string => `${keeperPrefix(store)}key`;
  for (const store of stores) {
    mkdirSync(store);
    const keeper = await startKeeper(native, registry, keyOf(store), BYTES);
    await keeper.publish(MEMORY);
  }
  // Before the keeper's own in the order of names, so that the one has to be passed by.
  const bad = join(registry, `${keeperPrefix(mine)}a.json`);
  const foreign = join(registry, `${keeperPrefix(other)}a.json`);
  for (const path of [bad, foreign]) writeFileSync(path, "{}");
  const isHeld = (store: string): boolean =>
    openKept(registry, keyOf(store), { bytes: BYTES, memory: MEMORY }) !== undefined;
  assert.deepEqual([isHeld(mine), isHeld(other)], [true, true]);

  assert.deepEqual(stopKeepers(registry, mine), { stopped: 1, unreadable: [bad] });
  assert.deepEqual([isHeld(mine), isHeld(other)], [false, true]);
  assert.deepEqual([existsSync(bad), existsSync(foreign)], [false, true]);
  assert.deepEqual(stopKeepers(registry), { stopped: 1, unreadable: [foreign] });
  assert.equal(isHeld(other), false, "the positive control: it could be stopped all along");
});

test("a record goes with its keeper, whosever it was, and stays while the keeper is there", async (t) => {
  const base = temporaryDirectory(t);
  const registry = join(base, "registry");
  const native = await testNative();
  const [pruned, deleted] = [join(base, "pruned"), join(base, "deleted")];
  t.after(() => stopKeepers(registry));
  for (const store of [pruned, deleted]) mkdirSync(store);
  const key = `${keeperPrefix(deleted)}key`;
  const keeper = await startKeeper(native, registry, key, BYTES);
  await keeper.publish(MEMORY);
  const path = join(registry, `${key}.json`);
  rmSync(deleted, { recursive: true });

  assert.deepEqual(stopKeepers(registry, pruned), { stopped: 0, unreadable: [] });
  assert.equal(existsSync(path), true, "the positive control: its keeper is there");
  const { startTime, ...rest } = JSON.parse(readFileSync(path, "utf8"));
  const ended = join(registry, `${keeperPrefix(base)}ended.json`);
  writeFileSync(ended, JSON.stringify({ ...rest, startTime: startTime + 1 }));
  assert.deepEqual(stopKeepers(registry, pruned), { stopped: 0, unreadable: [] });
  assert.deepEqual([existsSync(path), existsSync(ended)], [true, false]);
});
