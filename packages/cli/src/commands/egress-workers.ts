import cluster, { type Worker } from "node:cluster";
import { join } from "node:path";
import { shareOf } from "@drydock/broker";
import { DrydockError, isDrydockError } from "@drydock/evidence";
import {
  type EgressEnd,
  type EgressProcessOptions,
  type EgressReady,
  runEgressProcess,
} from "./egress-process.js";

/** More than a machine has use for: the kernel wakes each of them for a connection. */
export const MAX_WORKERS = 16;

/** What ends takes a second or two; longer than this, and it is hung. */
const STOP_MS = 10_000;

const SIGNALS = ["SIGTERM", "SIGINT"] as const;

/** What a worker tells. It is this program, started with the same command line. */
type Told =
  | { readonly kind: "ready"; readonly ready: EgressReady }
  | { readonly kind: "end"; readonly end: EgressEnd }
  | {
      readonly kind: "failed";
      readonly code: string;
      readonly message: string;
      readonly fix: string | undefined;
    };

export const isEgressWorker = (): boolean => cluster.isWorker;

/**
 * A worker's part: its share of the connections, and a log and key of its own. It listens through
 * the supervisor, whose end ends it as well.
 */
export const runEgressWorker = async (
  options: Omit<EgressProcessOptions, "maxConnections" | "onReady">,
  workers: number,
): Promise<void> => {
  const { policy, log } = options;
  const number = cluster.worker?.id ?? 1;
  try {
    const end = await runEgressProcess({
      ...options,
      log: log === undefined ? undefined : join(log, `worker-${number}`),
      maxConnections: shareOf(policy.limits.maxConnections, workers, number),
      onReady: (ready) => {
        // A terminal tells the whole group, and the supervisor tells again: the second signal must
        // not end it before its log.
        for (const signal of SIGNALS) process.on(signal, () => undefined);
        void tell({ kind: "ready", ready });
      },
    });
    await tell({ kind: "end", end });
  } catch (error) {
    if (!isDrydockError(error)) throw error;
    const { code, message, fix } = error;
    await tell({ kind: "failed", code, message, fix });
  }
  cluster.worker?.disconnect();
};

const tell = (told: Told): Promise<void> =>
  new Promise((resolve, reject) => {
    cluster.worker?.send(told, (error) => (error === null ? resolve() : reject(error)));
  });

/**
 * Brokers in processes of their own that accept from one listening socket. They start one after the
 * other, so that what is wrong is said once; a signal or a halt ends all of them; and so does the
 * end of any other kind of one of them, which is thrown.
 */
export const superviseEgress = async (
  count: number,
  onReady: (ready: readonly EgressReady[]) => void,
): Promise<readonly EgressEnd[]> => {
  // Each accepts by itself: no process hands connections to the others.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  const workers: Supervised[] = [];
  let stopping = false;
  const stop = (): void => {
    stopping = true;
    for (const { stop: stopOne } of workers) stopOne();
  };
  for (const signal of SIGNALS) process.on(signal, stop);
  try {
    const ready: EgressReady[] = [];
    while (workers.length < count && !stopping) {
      const worker = supervise(cluster.fork());
      workers.push(worker);
      // Whoever ends takes the others with it, whatever state they are in.
      void worker.ended.then(stop, stop);
      ready.push(await worker.ready);
    }
    if (!stopping) onReady(ready);
    return await Promise.all(workers.map(({ ended }) => ended));
  } finally {
    stop();
    await Promise.allSettled(workers.map(({ gone }) => gone));
    for (const signal of SIGNALS) process.off(signal, stop);
  }
};

interface Supervised {
  readonly ready: Promise<EgressReady>;
  /** Rejects unless it ended in order. */
  readonly ended: Promise<EgressEnd>;
  readonly gone: Promise<void>;
  stop(): void;
}

const supervise = (worker: Worker): Supervised => {
  let failure: DrydockError | null = null;
  let end: EgressEnd | null = null;
  const gone = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
  const ready = new Promise<EgressReady>((resolve, reject) => {
    worker.on("message", (told: Told) => {
      switch (told.kind) {
        case "ready":
          resolve(told.ready);
          return;
        case "end":
          end = told.end;
          return;
        case "failed":
          failure = new DrydockError(
            told.code,
            told.message,
            told.fix === undefined ? {} : { fix: told.fix },
          );
      }
    });
    void gone.then(() => reject(failure ?? lost(worker)));
  });
  const ended = gone.then(() => {
    if (end !== null) return end;
    throw failure ?? lost(worker);
  });
  // Both are looked at, but maybe later than they are rejected.
  ready.catch(() => undefined);
  ended.catch(() => undefined);
  return {
    ready,
    ended,
    gone,
    stop: () => {
      worker.process.kill("SIGTERM");
      const late = setTimeout(() => worker.process.kill("SIGKILL"), STOP_MS);
      void gone.then(() => clearTimeout(late));
    },
  };
};

const lost = ({ id, process: { exitCode, signalCode } }: Worker): DrydockError =>
  new DrydockError("EGRESS_WORKER", `worker ${id} ended (${signalCode ?? exitCode})`, {
    fix: "Everything was ended with it. Start the broker again, with a new directory.",
  });
