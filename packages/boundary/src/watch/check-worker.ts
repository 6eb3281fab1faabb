import { setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { type CheckRequest, checkExhaustively } from "../check/index.js";

/** The thread that watches may have raised itself above all others: this one has seconds to spend. */
setPriority(0, 0);
parentPort?.on("message", (request: CheckRequest) => {
  parentPort?.postMessage(checkExhaustively(request));
});
