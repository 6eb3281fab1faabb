import { randomBytes } from "node:crypto";
import { type FaultHooks, pfsenseAliasDescription } from "@drydock/acceptance";
import { LabCredential } from "../../configuration/index.js";
import { createReadClient, createWriteClient } from "../../transport/index.js";
import type { KillPoint } from "../model.js";
import { openSession } from "../session.js";
import { unexpectedOf } from "../unexpected.js";
import { keyFrom, parseJob, type WorkerJob } from "./job.js";

/** As SIGKILL from anybody: no handler runs, nothing is flushed, and the kernel frees its locks. */
const killItselfAt = ({ point, write }: KillPoint): FaultHooks => ({
  [point]: (here: string) => {
    if (here !== write) return;
    process.kill(process.pid, "SIGKILL");
    // Between the call and the end of the process nothing more may happen.
    for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  },
});

const work = async ({ step, contractId, intent, ...job }: WorkerJob): Promise<void> => {
  const client = {
    endpoint: job.endpoint,
    credential: new LabCredential(job.apiKey),
    clock: () => performance.now(),
  };
  const { executor } = openSession({
    ...job.store,
    key: keyFrom(job.store.key),
    artifactKey: keyFrom(job.artifactKey),
    read: createReadClient(client),
    write: createWriteClient(client),
    clock: () => Date.now() + job.aheadMs,
    entropy: (bytes) => randomBytes(bytes),
    verifier: null,
    hooks: killItselfAt(job.killAt),
  });
  if (step === "execute") await executor.execute(contractId, pfsenseAliasDescription, intent);
  else await executor.rollback(contractId, pfsenseAliasDescription);
};

/** One step of one contract in a process of its own, which isn't meant to survive it. */
const main = async (): Promise<void> => {
  try {
    await work(parseJob(Buffer.concat(await process.stdin.toArray())));
  } catch (error) {
    process.stdout.write(unexpectedOf(error).code);
    process.exitCode = 1;
  }
};

void main();
