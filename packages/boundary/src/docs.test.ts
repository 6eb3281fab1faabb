import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { BOUNDARY_CODES } from "./codes.js";
import { GATE_FINDINGS } from "./gate/index.js";
import { EGRESS_TRIALS } from "./gate/observation.js";
import { parsePlan } from "./plan/index.js";

const DOCS = readFileSync(new URL("../../../docs/boundary.md", import.meta.url), "utf8");

const section = (name: string): string =>
  DOCS.split(`<!-- ${name} -->`)[1]?.split(`<!-- /${name} -->`)[0] ?? "";

const INPUTS: readonly string[] = ["plan", "policy", "release", "bind"];

test("docs/boundary.md lists why an input is refused, each with its reason", () => {
  const rows = [...section("codes").matchAll(/^\| `(\w+)` \| (.+) \|$/gm)].map(
    ([, code, doc]) => [code, doc] as const,
  );
  const expected = Object.entries(BOUNDARY_CODES)
    .filter(([, { stage }]) => INPUTS.includes(stage))
    .map(([code, { doc }]) => [code, doc] as const);
  assert.deepEqual(Object.fromEntries(rows), Object.fromEntries(expected));
});

test("docs/boundary.md lists what keeps the gate shut, each with its reason", () => {
  const rows = [...section("findings").matchAll(/^\| `(boundary\.[a-z-]+)` \| (.+) \|$/gm)].map(
    ([, code, doc]) => [code, doc] as const,
  );
  const expected = Object.entries(GATE_FINDINGS).map(([code, { doc }]) => [code, doc] as const);
  assert.deepEqual(rows, expected);
});

test("docs/boundary.md says how each trial of the way out is made", () => {
  const told = [...section("trials").matchAll(/^\| (`.+`) \| .+ \| .+ \|$/gm)].flatMap(
    ([, names]) => (names ?? "").split(", ").map((name) => name.replaceAll("`", "")),
  );
  assert.deepEqual(told, [...EGRESS_TRIALS]);
});

test("the plan of docs/boundary.md is one", () => {
  const text = section("plan").replaceAll(/^```.*$/gm, "");
  const { networks, nodes, rules } = parsePlan(Buffer.from(text), { file: "docs/boundary.md" });
  assert.deepEqual([networks.length, nodes.length, rules.length], [2, 2, 2]);
});
