import assert from "node:assert/strict";
import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryDirectory } from "@drydock/testkit";
import { ensureDirectory } from "./directory.js";
import { identifyProcess } from "./process.js";
import { allocateSlot } from "./slot.js";
import { MAX_SLOTS } from "./uids.js";

const modeOf = (path: string): number => statSync(path).mode & 0o7777;

test("what other users have to enter can be entered, whatever the umask is or was", (t) => {
  const before = process.umask(0o077);
  t.after(() => process.umask(before));
  const base = temporaryDirectory(t);
  mkdirSync(join(base, "plain"), { mode: 0o711 });
  assert.equal(modeOf(join(base, "plain")), 0o700, "the control: the umask is in force");
  ensureDirectory(join(base, "plain"), 0o711);
  ensureDirectory(join(base, "new"), 0o711);
  assert.deepEqual([modeOf(join(base, "plain")), modeOf(join(base, "new"))], [0o711, 0o711]);

  const self = identifyProcess(process.pid);
  assert.ok(self);
  const runtimeDirectory = join(base, "run");
  const range = { runtimeDirectory, first: MAX_SLOTS - 16 };
  const slot = allocateSlot("umask", { ...self, role: "launcher" }, range);
  for (const path of [
    runtimeDirectory,
    join(runtimeDirectory, "slots"),
    slot.directory,
    slot.sockets,
  ])
    assert.equal(modeOf(path), 0o711, path);
  assert.equal(modeOf(slot.root), 0o700);
});
