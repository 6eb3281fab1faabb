import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { DrydockError } from "@drydock/evidence";
import type { CheckReport, CheckRequest } from "../check/index.js";
import type { BoundaryCode } from "../codes.js";

/**
 * The exhaustive check in a thread of its own: it takes seconds, and a drop mustn't wait for them.
 * One question at a time.
 */
export class CheckThread implements AsyncDisposable {
  readonly #program: string;
  #worker: Worker | null = null;

  /** @param program file of check-worker */
  constructor(program: string) {
    this.#program = program;
  }

  /** @throws DrydockError CHECK_FAILED */
  async check(request: CheckRequest): Promise<CheckReport> {
    const worker = this.#worker ?? this.#start();
    worker.postMessage(request);
    const answered = new AbortController();
    const { signal } = answered;
    try {
      // Either rejects with what the thread throws.
      const [report] = await Promise.race([
        once(worker, "message", { signal }) as Promise<[CheckReport]>,
        once(worker, "exit", { signal }).then(() => Promise.reject(new Error("the thread ended"))),
      ]);
      return report;
    } catch (cause) {
      this.#worker = null;
      throw new DrydockError<BoundaryCode>("CHECK_FAILED", "the exhaustive check ended early", {
        fix: "see whether the machine is out of memory",
        cause,
      });
    } finally {
      answered.abort();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(this.#program);
    this.#worker = worker;
    return worker;
  }
}
