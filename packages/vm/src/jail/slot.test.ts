import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryDirectory } from "@drydock/testkit";
import { sweepStale } from "../reap/index.js";
import { identifyProcess, parseStat, readBootId } from "./process.js";
import {
  addSlotOwner,
  allocateSlot,
  forgetCgroups,
  listSlots,
  type OwnerRecord,
  readOwner,
  recordCgroups,
} from "./slot.js";
import { isStale } from "./stale.js";
import { MAX_SLOTS, portUid, slotUids, UID_BASE, vmmUid } from "./uids.js";

/** Numbers at the far end: a test that destroys a slot kills whoever wears its ids. */
const FIRST = MAX_SLOTS - 8;

const self = () => {
  const identity = identifyProcess(process.pid);
  assert.ok(identity !== undefined);
  return { ...identity, role: "launcher" };
};

test("no two slots share an id, and none is a fixed process's", () => {
  const ids = Array.from({ length: MAX_SLOTS }, (_unused, slot) => slotUids(slot)).flat();
  assert.equal(new Set(ids).size, ids.length);
  assert.ok(ids.every((id) => id >= UID_BASE + 16 && id < 2 ** 31));
  assert.deepEqual(slotUids(3).slice(0, 2), [vmmUid(3), portUid(3)]);
});

test("slots are taken in order, and a taken one is never taken again", (t) => {
  const runtime = temporaryDirectory(t);
  const [first, second] = [
    allocateSlot("one", self(), { runtimeDirectory: runtime, first: FIRST }),
    allocateSlot("two", self(), { runtimeDirectory: runtime, first: FIRST }),
  ];
  assert.deepEqual([first.number, second.number], [FIRST, FIRST + 1]);
  assert.deepEqual(listSlots(runtime), [FIRST, FIRST + 1]);
  assert.equal(readOwner(first)?.run, "one");
  assert.deepEqual(readdirSync(join(runtime, "slots")).sort(), [FIRST, FIRST + 1].map(String));
});

test("an owner record remembers what a sweep has to remove", (t) => {
  const slot = allocateSlot("one", self(), {
    runtimeDirectory: temporaryDirectory(t),
    first: FIRST,
  });
  recordCgroups(slot, ["/sys/fs/cgroup/x", "/sys/fs/cgroup/y"]);
  recordCgroups(slot, ["/sys/fs/cgroup/z"]);
  forgetCgroups(slot, ["/sys/fs/cgroup/y"]);
  addSlotOwner(slot, { ...self(), role: "reaper" });
  const record = readOwner(slot);
  assert.deepEqual(record?.cgroups, ["/sys/fs/cgroup/x", "/sys/fs/cgroup/z"]);
  assert.deepEqual(
    record?.owners.map(({ role }) => role),
    ["launcher", "reaper"],
  );
});

test("an owner record that was tampered with is refused, not guessed at", (t) => {
  const slot = allocateSlot("one", self(), {
    runtimeDirectory: temporaryDirectory(t),
    first: FIRST,
  });
  writeFileSync(join(slot.directory, "owner.json"), '{"run":"one"}');
  assert.throws(() => readOwner(slot), { code: "SLOT_RECORD" });
});

test("a slot is stale when all its owners are dead or the host has booted since", () => {
  const bootId = readBootId();
  const record: OwnerRecord = { run: "r", bootId, owners: [self()], cgroups: [] };
  assert.equal(isStale(record, bootId), false);
  assert.equal(isStale(record, "00000000-0000-0000-0000-000000000000"), true);
  // The same number with another start time is another process.
  const reused = { ...self(), startTime: self().startTime + 1 };
  assert.equal(isStale({ ...record, owners: [reused] }, bootId), true);
  assert.equal(isStale({ ...record, owners: [reused, self()] }, bootId), false);
});

test("a sweep leaves live slots alone and removes what dead launchers left half made", async (t) => {
  const runtime = temporaryDirectory(t);
  const live = allocateSlot("live", self(), { runtimeDirectory: runtime, first: FIRST });
  const dead = allocateSlot(
    "dead",
    { ...self(), startTime: 1 },
    { runtimeDirectory: runtime, first: FIRST },
  );
  const slots = join(runtime, "slots");
  mkdirSync(join(slots, ".gone-1"));
  mkdirSync(join(slots, `.new-${2 ** 22 + 1}-x`));
  mkdirSync(join(slots, `.new-${process.pid}-x`));
  const swept = await sweepStale(runtime);
  assert.deepEqual(swept, [{ slot: dead.number, run: "dead", leftovers: [] }]);
  assert.equal(existsSync(live.directory), true);
  assert.deepEqual(readdirSync(slots).sort(), [`.new-${process.pid}-x`, String(FIRST)].sort());
});

test("the state of a process is found behind a name with spaces and parentheses", () => {
  const rest = Array.from({ length: 18 }, (_unused, index) => index).join(" ");
  assert.deepEqual(parseStat(`7 (a) b) (c) S ${rest} 4711 0`), { state: "S", startTime: 4711 });
  assert.equal(parseStat("7 (broken"), undefined);
});
