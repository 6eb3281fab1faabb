import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { LIMIT_NAMES, LIMIT_RANGES } from "./limits.js";

const documentation = readFileSync(new URL("../../../../docs/egress.md", import.meta.url), "utf8");

test("every limit is documented exactly as it is", () => {
  const rows = LIMIT_NAMES.map((name) => {
    const { default: usual, min, max, doc } = LIMIT_RANGES[name];
    return `| \`${name}\` | ${usual} | ${min} | ${max} | ${doc} |`;
  });
  const table = documentation.split("<!-- limits -->")[1]?.split("<!-- /limits -->")[0] ?? "";
  const documented = table.trim().split("\n").slice(2);
  assert.deepEqual(documented, rows);
});
