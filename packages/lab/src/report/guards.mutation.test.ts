import assert from "node:assert/strict";
import { test } from "node:test";
import { runTestFileWithSwaps } from "@drydock/testkit";

test("without the search nothing is found, which is noticed", () => {
  const module = "packages/lab/dist/report/scan.js";
  const source = `
    export const scanDirectories = () => ({ files: 1, bytes: 1, values: 1, found: [] });`;
  const file = new URL("scan.test.js", import.meta.url);
  for (const name of ["as it is", "in a name, too", "can't be searched is no clean"]) {
    const swapped = runTestFileWithSwaps(file, [{ module, source }], name);
    assert.equal(swapped.failed, true, `nothing noticed:\n${swapped.output}`);
  }
});
