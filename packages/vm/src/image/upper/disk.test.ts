import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { DrydockError } from "@drydock/evidence";
import { temporaryDirectory } from "@drydock/testkit";
import { openStore } from "../../store/index.js";
import { systemTools } from "../tools.js";
import { createUpper, upperDisk } from "./disk.js";

const MIB = 1024 ** 2;
const setUp = (t: TestContext) => {
  const work = temporaryDirectory(t);
  return { work, store: openStore(join(work, "store")), tools: systemTools() };
};

for (const sizeBytes of [16 * MIB, 300 * MIB, 8 * 1024 * MIB]) {
  test(`a disk of ${sizeBytes / MIB} MiB is a whole, empty, sparse ext4`, async (t) => {
    const { work, store, tools } = setUp(t);
    const path = join(work, "upper");
    createUpper(store, await upperDisk(store, tools, sizeBytes), {
      path,
      uid: 12_345,
      gid: 54_321,
    });
    const found = statSync(path);
    assert.deepEqual(
      [found.size, found.mode & 0o777, found.uid, found.gid],
      [sizeBytes, 0o600, 12_345, 54_321],
    );
    assert.ok(found.blocks * 512 < 2 * MIB, `${found.blocks * 512} bytes allocated`);
    execFileSync("e2fsck", ["-fn", path], { stdio: ["ignore", "pipe", "pipe"] });
  });
}

test("two stores make the same disk", async (t) => {
  const [one, two] = [setUp(t), setUp(t)];
  const digests = await Promise.all(
    [one, two].map(({ store, tools }) => upperDisk(store, tools, 64 * MIB)),
  );
  assert.deepEqual(digests[0], digests[1]);
});

test("an existing file is not overwritten, and a bad size is refused", async (t) => {
  const { work, store, tools } = setUp(t);
  const disk = await upperDisk(store, tools, 16 * MIB);
  const path = join(work, "upper");
  writeFileSync(path, "mine");
  assert.throws(() => createUpper(store, disk, { path, uid: 0, gid: 0 }), DrydockError);
  assert.equal(statSync(path).size, 4);
  assert.throws(
    () => createUpper(store, disk, { path: join(work, "no/such"), uid: 0, gid: 0 }),
    DrydockError,
  );
  assert.ok(!existsSync(join(work, "no")));
  for (const size of [0, 4096, 16 * MIB + 1, 2 ** 50, Number.NaN, 1.5]) {
    await assert.rejects(upperDisk(store, tools, size), { code: "IMAGE_BOUND" });
  }
});

test("a missing mke2fs is named with its fix", async (t) => {
  const { store } = setUp(t);
  await assert.rejects(upperDisk(store, systemTools("/nonexistent"), 16 * MIB), {
    code: "IMAGE_TOOL_MISSING",
    fix: "apt-get install e2fsprogs",
  });
});
