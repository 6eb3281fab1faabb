import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
  canonicalBytes,
  DSSE_PAYLOAD_TYPE,
  summariseAttempts,
  VERDICT_PREDICATE_TYPE,
} from "@drydock/evidence";
import { temporaryDirectory } from "@drydock/testkit";
import type { LabReport } from "../sdk/types.js";
import { chooseStyle } from "../terminal/style.js";
import { describe, type Summary, summarise } from "./summary.js";

const PLAIN = chooseStyle(false, {});
const SUMMARY: Summary = {
  ...{ run: "run-1", evidence: "/runs/run-1", verdict: "PASS", tier: null, exit: { code: 0 } },
  ...{ durationMs: 5, phases: {}, denied: 3, findings: [] },
};
const REPORT: LabReport = {
  ...{ run: "run-1", evidence: "/runs/run-1", verdict: "PASS", ending: "completed", refusal: null },
  ...{ deadline: false, bodyStarted: true, findings: [], denied: 0, phases: {}, durationMs: 5 },
};

const DIGEST = `sha256:${"0".repeat(64)}`;

/** A verdict with these gates that nobody signed: it is only shown. */
const writeVerdict = (directory: string, gates: readonly unknown[]): void => {
  const payload = canonicalBytes({
    _type: "https://in-toto.io/Statement/v1",
    predicateType: VERDICT_PREDICATE_TYPE,
    subject: [{ name: "manifest.json", digest: { sha256: "0".repeat(64) } }],
    predicate: {
      ...{ run: "run-1", created: "2026-11-30T00:00:00.000Z", experiment: DIGEST, tier: null },
      ...{ verdict: "FAIL", integrity: "intact", completeness: "complete", findings: [], gates },
      ...{ earlierAttempts: summariseAttempts([]), logs: [], artifacts: null },
      journal: { origin: "journal", index: 0, size: 1, root: DIGEST },
    },
  });
  const envelope = {
    payload: payload.toString("base64"),
    payloadType: DSSE_PAYLOAD_TYPE,
    signatures: [{ keyid: DIGEST, sig: "AAAA" }],
  };
  writeFileSync(join(directory, "verdict.dsse.json"), canonicalBytes(envelope));
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

test("a run that is FAIL names the gates that failed, and no other run names any", (t) => {
  const evidence = temporaryDirectory(t);
  const gate = (id: string, result: string) => ({ id, result, evidence: [] });
  writeVerdict(evidence, [gate("RUN-CHANNELS", "PASS"), gate("RUN-CANONICAL", "FAIL")]);
  const report = { ...REPORT, evidence };
  const failed = summarise({ ...report, verdict: "FAIL" }, null);
  assert.deepEqual(failed.gates, [{ id: "RUN-CANONICAL", result: "FAIL" }]);
  assert.match(describe(failed, PLAIN), /^gate {5}FAIL {2}RUN-CANONICAL$/m);
  assert.equal("gates" in summarise({ ...report, verdict: "PASS" }, null), false);
  // What can't be read takes nothing else away.
  writeFileSync(join(evidence, "verdict.dsse.json"), "{}");
  assert.equal(summarise({ ...report, verdict: "FAIL" }, null).verdict, "FAIL");
});
