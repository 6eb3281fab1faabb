import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ALL_CELLS } from "./matrix/all-cells.js";
import { IMPOSSIBLE } from "./matrix/impossible.js";
import { ROUTES, TECHNIQUES } from "./matrix/model.js";
import { withMatrix } from "./page.js";

const PAGE = new URL("../../../../../docs/egress.md", import.meta.url);

test("the page's table is what the matrix holds", () => {
  const page = readFileSync(PAGE, "utf8");
  assert.equal(page, withMatrix(page), "run: node scripts/egress-matrix.mjs");
});

test("every technique on every route has cells, or a reason why it has none", () => {
  for (const technique of Object.keys(TECHNIQUES)) {
    for (const route of Object.keys(ROUTES)) {
      const here = (cell: { technique: string; route: string }): boolean =>
        cell.technique === technique && cell.route === route;
      assert.equal(ALL_CELLS.some(here), !IMPOSSIBLE.some(here), `${technique}, ${route}`);
    }
  }
});

test("no cell is there twice", () => {
  const names = ALL_CELLS.map((cell) => Object.values(cell).join(", "));
  assert.deepEqual(
    names.filter((name, index) => names.indexOf(name) < index),
    [],
  );
});
