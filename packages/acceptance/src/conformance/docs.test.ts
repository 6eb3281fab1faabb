import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { CONFORMANCE_CHECKS, FILE_CHECKS } from "./checks.js";

const page = readFileSync(new URL("../../../../docs/acceptance.md", import.meta.url), "utf8");

test("every check is documented exactly as it is", () => {
  const rows = Object.entries({ ...FILE_CHECKS, ...CONFORMANCE_CHECKS }).map(
    ([check, what]) => `| \`${check}\` | ${what} |`,
  );
  const table = page.split("<!-- conformance -->")[1]?.split("<!-- /conformance -->")[0] ?? "";
  assert.deepEqual(table.trim().split("\n").slice(2), rows);
});
