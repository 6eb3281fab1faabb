import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { BROKEN_REHEARSALS } from "../testing/broken.js";
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

const page = readFileSync(PAGE, "utf8");
const rowsOf = (table: string): readonly string[] => {
  const [, between = ""] = page.split(new RegExp(`<!-- /?${table} -->`));
  return between
    .split("\n")
    .slice(3)
    .filter((line) => line.startsWith("| "));
};

test("every case is on the page, with its whole oracle, and no other is", () => {
  assert.deepEqual(rowsOf("scenarios"), SCENARIOS.map(row));
});

test("so is everything that is broken on purpose, where it shows and as what", () => {
  const rows = rowsOf("broken").map((line) => line.slice(2, -2).split(" | "));
  assert.deepEqual(
    rows.map(([name, shownBy]) => [name, shownBy]),
    BROKEN_REHEARSALS.map(({ name, shownBy }) => [name, `\`${shownBy}\``]),
  );
  for (const [index, { named }] of BROKEN_REHEARSALS.entries())
    assert.match(rows[index]?.[2]?.replaceAll("`", "") ?? "", named);
});
