import assert from "node:assert/strict";
import { test } from "node:test";
import { gatesToShow } from "./gates-to-show.js";

const GATES = [
  { id: "RUN-CHANNELS", result: "PASS", evidence: [] },
  { id: "RUN-CANONICAL", result: "FAIL", evidence: [] },
  { id: "RUN-END", result: "INCOMPLETE", evidence: [] },
] as const;

test("what made a run FAIL is always said, the other gates where they are asked for", () => {
  assert.deepEqual(
    gatesToShow(GATES, false).map(({ id }) => id),
    ["RUN-CANONICAL"],
  );
  assert.deepEqual(gatesToShow(GATES, true), GATES);
});
