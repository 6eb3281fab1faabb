import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { REASONS } from "./reason.js";

const documentation = readFileSync(new URL("../../../../docs/egress.md", import.meta.url), "utf8");

test("every reason that concerns a boundary is documented exactly as it is", () => {
  const rows = Object.entries(REASONS)
    .filter(([code]) => code.startsWith("READBACK_"))
    .map(([code, { doc }]) => `| \`${code}\` | ${doc} |`);
  const table = documentation.split("<!-- readback -->")[1]?.split("<!-- /readback -->")[0] ?? "";
  assert.deepEqual(table.trim().split("\n").slice(2), rows);
});
