import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { SCENARIOS } from "./catalogue/index.js";
import type { Scenario } from "./model.js";

const PAGE = fileURLToPath(new URL("../../../../docs/acceptance.md", import.meta.url));

const row = ({ name, variant, what, oracle }: Scenario): string => {
  const { state, forwardSends, rollbackSends, reservation, appliance } = oracle;
  const title = variant === null ? `\`${name}\`` : `\`${name}\` (${variant})`;
  const ends = state === "STORE_REFUSED" ? "the store isn't opened" : state;
  const target = reservation === "unknown" ? "–" : reservation;
  return `| ${title} | ${what} | ${ends} | ${forwardSends}, ${rollbackSends} | ${target} | ${appliance} |`;
};

test("every case is on the page, with its whole oracle, and no other is", () => {
  const page = readFileSync(PAGE, "utf8");
  const [, table = ""] = page.split(/<!-- \/?scenarios -->/);
  const rows = table.split("\n").filter((line) => line.startsWith("| `"));
  assert.deepEqual(rows, SCENARIOS.map(row));
});
