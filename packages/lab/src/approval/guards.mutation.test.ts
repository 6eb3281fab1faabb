import assert from "node:assert/strict";
import { test } from "node:test";
import { runTestFileWithSwaps } from "@drydock/testkit";

test("without its guard an approval of anybody for anything is noticed", () => {
  const module = "packages/lab/dist/approval/require-approval.js";
  const source = `
    import { parseApproval } from "./approval.js";
    export const MAX_APPROVAL_MS = 1;
    export const MAX_APPROVAL_AHEAD_MS = 1;
    export const requireApproval = (bytes) => parseApproval(bytes);`;
  for (const name of ["for one command", "whom the machine's owner listed", "the bytes that"]) {
    const file = new URL("approval.test.js", import.meta.url);
    const swapped = runTestFileWithSwaps(file, [{ module, source }], name);
    assert.equal(swapped.failed, true, `nothing noticed:\n${swapped.output}`);
  }
});
