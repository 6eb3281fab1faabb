import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { CONTROL_CHANNEL } from "./plan.js";
import { END_ROUTE, forwardRoute, KILL_ROUTE, ORDERLY_STOP, type Stop } from "./route.js";

const DOCS = readFileSync(new URL("../../../../docs/lifecycle.md", import.meta.url), "utf8");

/** The rows of the n-th table with a "task" column, as "PHASE task". */
const documented = (n: number): readonly string[] => {
  const table = DOCS.split("| phase | task | condition | records |")[n] ?? "";
  const lines = table.split("\n").slice(2);
  const end = lines.findIndex((line) => !line.startsWith("|"));
  return lines
    .slice(0, end)
    .map((line) => line.split("|").slice(1, 3).join("").replace(/\s+/g, " ").trim());
};

const coded = (route: readonly Stop[]): readonly string[] =>
  route.map((stop) => `${stop.phase} ${stop.do}`);

test("docs/lifecycle.md lists the routes as they are", () => {
  assert.deepEqual(documented(1), coded(forwardRoute([], [])));
  assert.deepEqual(documented(2), coded(ORDERLY_STOP));
  assert.deepEqual(documented(3), coded(KILL_ROUTE));
  assert.deepEqual(documented(4), coded(END_ROUTE));
});

test("a way out is shut before anything else of QUIESCE", () => {
  const quiesce = forwardRoute(["a", "b"], ["b"]).filter(({ phase }) => phase === "QUIESCE");
  assert.deepEqual(coded(quiesce), ["QUIESCE revokeChannel", "QUIESCE quiesce"]);
});

test("each channel is granted under its own look at the halt state", () => {
  const grants = forwardRoute(["drydock.bulk.0"], []).flatMap((stop, index, all) =>
    stop.do === "grantChannel" ? [[all[index - 1]?.do, stop.channel]] : [],
  );
  assert.deepEqual(grants, [
    ["checkHalt", CONTROL_CHANNEL],
    ["checkHalt", "drydock.bulk.0"],
  ]);
});
