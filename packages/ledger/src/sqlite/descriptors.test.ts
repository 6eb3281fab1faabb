import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryDirectory } from "@drydock/testkit";

/** Opens a ledger in a process of its own that has so many descriptors left; what it says. */
const openWith = (path: string, left: number): string => {
  const script = `
    import { closeSync, openSync } from "node:fs";
    import { openSqliteLedger } from ${JSON.stringify(new URL("./store.js", import.meta.url).href)};
    import { NOTHING } from ${JSON.stringify(new URL("../resources/vector.js", import.meta.url).href)};
    const options = { path: process.argv[1], ceiling: NOTHING, clock: () => 0 };
    const open = () => openSqliteLedger({ ...options, readHalt: () => ({ halted: true, generation: 0 }) });
    open().close();
    const taken = [];
    try { for (;;) taken.push(openSync("/dev/null", "r")); }
    catch (error) { if (error.code !== "EMFILE") throw error; }
    for (const descriptor of taken.splice(0, Number(process.argv[2]))) closeSync(descriptor);
    let said = "opened";
    try { open().close(); } catch (error) { said = error.code + " " + error.fix; }
    for (const descriptor of taken) closeSync(descriptor);
    console.log(said);`;
  const command = 'ulimit -n 512; exec "$0" --input-type=module -e "$1" "$2" "$3"';
  const args = ["-c", command, process.execPath, script, path, String(left)];
  return execFileSync("sh", args, { encoding: "utf8" }).trim();
};

test("a ledger that can't be opened for want of descriptors isn't blamed; with some it opens", (t) => {
  const path = join(temporaryDirectory(t), "ledger.sqlite");
  assert.equal(openWith(path, 8), "opened");
  for (const left of [0, 1]) assert.match(openWith(path, left), /^LEDGER_DESCRIPTORS .*ulimit -n/);
});
