import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryDirectory } from "@drydock/testkit";

const GUARD = new URL("./check-space.js", import.meta.url).href;

/** The guard's answer for a directory below a file system of that size, which ends with the process. */
const askedOf = (place: string, size: string): string => {
  const ask = `import(${JSON.stringify(GUARD)}).then(({ requireSpace }) => {
    try { requireSpace(process.argv[1]); console.log("enough"); }
    catch ({ code, fix }) { console.log(code, fix); }
  });`;
  const { stdout, stderr } = spawnSync(
    "unshare",
    [
      ...["--mount", "--propagation", "private", "sh", "-ec"],
      'mount -t tmpfs -o "size=$1" tmpfs "$2"; exec "$3" -e "$4" "$2/new/deeper"',
      ...["sh", size, place, process.execPath, ask],
    ],
    { encoding: "utf8" },
  );
  assert.equal(stderr, "");
  return stdout;
};

test("a home has room for what a run keeps, or nothing is begun", (t) => {
  const place = join(temporaryDirectory(t), "place");
  mkdirSync(place);
  assert.equal(askedOf(place, "16m"), "enough\n");
  assert.match(askedOf(place, "16380k"), /^HOME_FULL Free disk space there \(16 MiB at least\)/);
});
