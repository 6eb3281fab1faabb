import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryDirectory } from "@drydock/testkit";
import { identifyProcess } from "../jail/process.js";
import { allocateSlot, listSlots, readOwner, type Slot } from "../jail/slot.js";
import { createSlotCgroup } from "../jail/slot-cgroup.js";
import { destroySlot, emptySlot } from "./destroy.js";

/** Far above what runs take: their ids follow from the number. */
const FIRST = 961;
const LIMITS = { memoryBytes: 64 << 20, pids: 8, cpuMillis: null, io: null };

test("an emptied slot keeps its record and the group that was spared; destroying takes them too", async (t) => {
  const self = identifyProcess(process.pid);
  assert.ok(self);
  let slot: Slot | null = null;
  // Before the directory goes, in which it takes a lock.
  t.after(() => slot && destroySlot(slot));
  const runtimeDirectory = temporaryDirectory(t);
  const run = `test-empty-${process.pid}`;
  const range = { runtimeDirectory, first: FIRST };
  slot = allocateSlot(run, { ...self, role: "launcher" }, range);
  const spared = createSlotCgroup(slot, "controller", LIMITS).cgroup;
  const doomed = createSlotCgroup(slot, "port", LIMITS).cgroup;
  const there = (cgroup: typeof spared): readonly boolean[] => [
    ...new Set(cgroup.parts.map(({ directory }) => existsSync(directory))),
  ];
  mkdirSync(join(slot.directory, "port"));
  writeFileSync(join(slot.directory, "port", "left"), "");

  assert.deepEqual(await emptySlot(slot, spared), []);
  assert.deepEqual([there(spared), there(doomed)], [[true], [false]]);
  assert.deepEqual(readdirSync(slot.directory), ["owner.json"]);
  assert.deepEqual(
    readOwner(slot)?.cgroups,
    spared.parts.map(({ directory }) => directory),
  );
  assert.deepEqual(listSlots(runtimeDirectory), [slot.number]);

  assert.deepEqual(await destroySlot(slot), []);
  assert.deepEqual([there(spared), listSlots(runtimeDirectory)], [[false], []]);
  assert.deepEqual(await emptySlot(slot, spared), [], "a slot that is gone is empty");
});
