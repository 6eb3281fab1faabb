import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { temporaryDirectory } from "@drydock/testkit";
import { parseJob, type WorkerJob } from "./job.js";
import { runWorker } from "./start.js";

const KEY = Buffer.alloc(32, 7).toString("base64");

const jobIn = (t: TestContext): WorkerJob => {
  const directory = temporaryDirectory(t);
  const [store = "", anchor = ""] = ["store", "anchor"].map((name) => join(directory, name));
  for (const place of [store, anchor]) mkdirSync(place, { mode: 0o700 });
  return {
    step: "execute",
    contractId: "unknown",
    intent: {},
    killAt: { point: "afterCommit", write: "acquire" },
    store: { directory: store, anchorDirectory: anchor, storeId: "rehearsal", key: KEY },
    artifactKey: KEY,
    endpoint: {
      ...{ address: "127.0.0.1", port: 1, host: "appliance.lab.invalid", ca: null },
      deadlines: { connectMs: 1_000, answerMs: 1_000 },
    },
    apiKey: "a-key",
    aheadMs: 0,
  };
};

test("a worker that ends otherwise than by its kill says why, and isn't taken for killed", async (t) => {
  assert.deepEqual(await runWorker(jobIn(t)), { killed: false, why: "CONTRACT_UNKNOWN" });
  const job = { ...jobIn(t), artifactKey: "none" };
  assert.deepEqual(await runWorker(job), { killed: false, why: "LAB_WORKER" });
});

test("a job with a key more, or a value of another kind, is none", (t) => {
  const job = jobIn(t);
  const parsed = (value: unknown) => parseJob(Buffer.from(JSON.stringify(value)));
  assert.deepEqual(parsed(job), job);
  for (const change of [
    { more: 1 },
    { step: "prepare" },
    { killAt: { point: "never", write: "acquire" } },
    { store: { ...job.store, directory: "relative" } },
    { aheadMs: "1" },
  ])
    assert.throws(() => parsed({ ...job, ...change }), { code: "LAB_WORKER" });
});
