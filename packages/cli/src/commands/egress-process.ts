import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import {
  type BrokerCounters,
  type EgressPolicy,
  type EgressReceipt,
  formatListen,
  type ListenAddress,
  logTrust,
  openLogDirectory,
  type Reason,
  receiptEvent,
  startStandalone,
  systemRandom,
  systemTimers,
} from "@drydock/broker";
import { DrydockError, signingKeyFromSeed, type TrustEntry } from "@drydock/evidence";
import { haltNow, whyHalted } from "@drydock/trial";
import { stateLayout } from "./context.js";

export interface EgressProcessOptions {
  readonly policy: EgressPolicy;
  readonly listen: ListenAddress;
  /** Directory of its log; without one, receipts go to stderr. */
  readonly log: string | undefined;
  /** This process's part of the policy's. */
  readonly maxConnections: number;
  /** Why nothing may go out at present, or null; see `BrokerOptions`. */
  readonly withheld?: () => Reason | null;
  /** Told once it listens and has a log. */
  readonly onReady: (ready: EgressReady) => void;
}

/** What somebody has to know of a broker that listens. Plain data: workers send it. */
export interface EgressReady {
  readonly listen: string;
  readonly maxConnections: number;
  readonly log: EgressLogFacts | null;
}

export interface EgressLogFacts {
  readonly path: string;
  readonly run: string;
  readonly key: TrustEntry;
}

/** How one ended in order, and what it did. */
export interface EgressEnd {
  readonly kind: "stopped" | "halted";
  /** Why it was halted. */
  readonly why: string | null;
  readonly counts: EgressCounts;
  readonly refusals: Readonly<Record<string, number>>;
}

export type EgressCounts = Pick<
  BrokerCounters,
  "connections" | "granted" | "denied" | "shed" | "bytesUp" | "bytesDown"
>;

/** A halt reaches a running broker within this; the log says whether it is to be signed as often. */
const LOOK_EVERY_MS = 1_000;

/**
 * What a thousand new tunnels allocate makes V8 triple the young generation for good; tunnels are
 * opened as fast in a small one, and an idle one then costs half.
 */
const KEEP_YOUNG_GENERATION_SMALL = "--semi-space-growth-factor=1";

const SIGNALS = ["SIGTERM", "SIGINT"] as const;

type Ending =
  | { readonly kind: "stopped" }
  | { readonly kind: "halted"; readonly why: string }
  | { readonly kind: "broken"; readonly error: unknown };

/**
 * One broker in this process, until SIGTERM or SIGINT, or a halt. Throws what a receipt couldn't be
 * written for.
 */
export const runEgressProcess = async (options: EgressProcessOptions): Promise<EgressEnd> => {
  setFlagsFromString(KEEP_YOUNG_GENERATION_SMALL);
  const { policy, listen, maxConnections, withheld } = options;
  const ending = firstOf<Ending>();
  const onBroken = (error: unknown): void => ending.tell({ kind: "broken", error });
  let log: Log | null = null;
  const broker = await startStandalone({
    policy,
    listen,
    maxConnections,
    openFiles: openFilesLimit(),
    timers: systemTimers,
    random: systemRandom,
    receipts: (receipt) => {
      if (log === null) throw new DrydockError("LOG_CLOSED", "no log is open");
      log.write(receipt);
    },
    onBroken,
    ...(withheld === undefined ? {} : { withheld }),
  });
  // Only now: a start that fails must not use up the directory.
  log = await openLog(options.log, policy, { undo: () => broker.close(), onBroken });
  const stopWatching = watch(ending.tell, log);
  options.onReady({
    listen: formatListen(broker.address),
    maxConnections: broker.maxConnections,
    log: log.facts,
  });

  const why = await ending.first;
  stopWatching();
  await broker.close();
  if (why.kind === "broken") throw why.error;
  log.end(why.kind === "stopped");
  const { connections, granted, denied, shed, bytesUp, bytesDown, refusals } = broker.counters;
  return {
    kind: why.kind,
    why: why.kind === "halted" ? why.why : null,
    counts: { connections, granted, denied, shed, bytesUp, bytesDown },
    refusals: Object.fromEntries(refusals),
  };
};

interface Log {
  write(receipt: EgressReceipt): void;
  checkpoint(): void;
  end(clean: boolean): void;
  readonly facts: EgressLogFacts | null;
}

/** Unsigned lines, for a supervisor that keeps them. */
const logToStderr = (): Log => ({
  write: (receipt) => {
    const { type, decision, measurements } = receiptEvent(receipt);
    process.stderr.write(`${JSON.stringify({ type, decision, ...measurements })}\n`);
  },
  checkpoint: () => undefined,
  end: () => undefined,
  facts: null,
});

/** @param undo what has to be taken back when there is no log */
const openLog = async (
  path: string | undefined,
  policy: EgressPolicy,
  { undo, onBroken }: { undo: () => Promise<void>; onBroken: (error: unknown) => void },
): Promise<Log> => {
  try {
    return path === undefined ? logToStderr() : logTo(path, policy, onBroken);
  } catch (error) {
    await undo();
    throw error;
  }
};

const logTo = (path: string, policy: EgressPolicy, onBroken: (error: unknown) => void): Log => {
  const now = new Date();
  const run = `egress-${now.toISOString().replace(/[-:]|\.[0-9]+/g, "")}-${randomBytes(5).toString("hex")}`;
  const key = signingKeyFromSeed(randomBytes(32));
  const log = openLogDirectory({
    path,
    run,
    policy,
    key,
    clock: {
      source: "linux.realtime-monotonic",
      wall: () => new Date().toISOString(),
      monotonicUs: () => Number(process.hrtime.bigint() / 1000n),
    },
    nonce: randomBytes(8),
    later: (flush) =>
      setImmediate(() => {
        try {
          flush();
        } catch (error) {
          onBroken(error);
        }
      }),
  });
  return { ...log, facts: { path, run, key: logTrust(key, now) } };
};

/** A promise of the first thing that is told. */
const firstOf = <T>() => {
  let tell: (value: T) => void = () => undefined;
  const first = new Promise<T>((resolve) => {
    tell = resolve;
  });
  return { first, tell };
};

/** Looks for signals and the halt, and signs the log, until the returned function is called. */
const watch = (tell: (ending: Ending) => void, log: Log): (() => void) => {
  const stop = (): void => tell({ kind: "stopped" });
  const layout = stateLayout();
  const look = setInterval(() => {
    try {
      log.checkpoint();
      const status = haltNow(layout);
      if (status.halted) tell({ kind: "halted", why: whyHalted(status) });
    } catch (error) {
      tell({ kind: "broken", error });
    }
  }, LOOK_EVERY_MS);
  for (const signal of SIGNALS) process.on(signal, stop);
  return () => {
    clearInterval(look);
    for (const signal of SIGNALS) process.off(signal, stop);
  };
};

/** RLIMIT_NOFILE as the kernel lists it: Node raised the soft limit when it started. */
const openFilesLimit = (): number => {
  const limits = readFileSync("/proc/self/limits", "utf8");
  const [, soft] = /^Max open files\s+([0-9]+|unlimited)/m.exec(limits) ?? [];
  const number = Number(soft);
  return Number.isSafeInteger(number) ? number : Number.MAX_SAFE_INTEGER;
};
