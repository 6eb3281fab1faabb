import assert from "node:assert/strict";
import { test } from "node:test";
import { WORKBENCH_LABEL, workbenchVersionOf } from "./workbench.js";

const anchor = { name: "anchor", running: true, labels: { [WORKBENCH_LABEL]: "v1" } };

test("a workbench's version is what the running management anchor's image says, and nobody else's", () => {
  assert.equal(workbenchVersionOf([anchor], "anchor"), "v1");
  assert.equal(workbenchVersionOf([{ ...anchor, name: "other" }], "anchor"), null);
  assert.equal(workbenchVersionOf([{ ...anchor, running: false }], "anchor"), null);
  assert.equal(workbenchVersionOf([{ ...anchor, labels: {} }], "anchor"), null);
});
