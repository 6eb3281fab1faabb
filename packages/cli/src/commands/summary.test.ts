import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseStyle } from "../terminal/style.js";
import { describe, type Summary } from "./summary.js";

const PLAIN = chooseStyle(false, {});
const SUMMARY: Summary = {
  ...{ run: "run-1", evidence: "/runs/run-1", verdict: "PASS", tier: null, exit: { code: 0 } },
  ...{ durationMs: 5, phases: {}, denied: 3, findings: [] },
};

test("what was refused stands below the count, an unnamed one too, many are cut", () => {
  const refusals = [
    { authority: "b.example:443", reason: "AUTHORITY_NOT_GRANTED", count: 2 },
    { authority: "", reason: "IP_LITERAL", count: 1 },
  ];
  const [, , denied, ...lines] = describe(SUMMARY, PLAIN, refusals).split("\n");
  assert.match(denied ?? "", /^denied {3}3 attempts were refused; /);
  assert.deepEqual(lines, [
    "         b.example:443  AUTHORITY_NOT_GRANTED, 2 times",
    "         (no name)  IP_LITERAL",
    "evidence /runs/run-1",
    "",
  ]);
  const many = Array.from({ length: 10 }, (_, index) => ({
    ...{ authority: `n${index}.example:443`, reason: "AUTHORITY_NOT_GRANTED", count: 1 },
  }));
  assert.match(describe(SUMMARY, PLAIN, many), /n7\.example.*\n {9}and 2 more\nevidence/);
});

test("evidence that can't be read leaves the count alone", () => {
  const text = describe({ ...SUMMARY, evidence: "/no/such/run" }, PLAIN);
  assert.match(text, /3 attempts were refused; .*\nevidence \/no\/such\/run\n$/);
});
