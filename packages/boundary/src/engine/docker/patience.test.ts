import assert from "node:assert/strict";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { temporaryDirectory } from "@drydock/testkit";
import { createDockerBackend } from "./backend.js";

/** Of Node's own agent, and some. */
const BUSY_MS = 5_500;

/** In a thread of its own, which answers while this one doesn't look. */
const ENGINE = `
  const { createServer } = require("node:http");
  const { parentPort, workerData } = require("node:worker_threads");
  createServer((_request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ ID: "engine", ServerVersion: "20.10.0" }));
  }).listen(workerData, () => parentPort.postMessage("listening"));`;

test("an engine that answers isn't silent because who asks is busy", async (t) => {
  const socket = join(temporaryDirectory(t), "engine.sock");
  const engine = new Worker(ENGINE, { eval: true, workerData: socket });
  t.after(() => engine.terminate());
  await once(engine, "message");
  const backend = await createDockerBackend(socket);
  const asked = backend.identity();
  // From when the connection is begun.
  await new Promise((resolve) => setImmediate(resolve));
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY_MS);
  assert.deepEqual(await asked, { daemonId: "engine", version: "20.10.0" });
});
