import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import {
  type EgressPolicy,
  type EgressReceipt,
  formatListen,
  logTrust,
  openLogDirectory,
  parseListen,
  receiptEvent,
  type Standalone,
  startStandalone,
  systemRandom,
  systemTimers,
} from "@drydock/broker";
import { canonicalBytes, DrydockError, signingKeyFromSeed, TRUST_SCHEMA } from "@drydock/evidence";
import { haltNow, whyHalted } from "@drydock/trial";
import { verdictExitCode } from "../exit.js";
import { visible } from "../terminal/sanitise.js";
import { type JsonFlag, stateLayout } from "./context.js";
import { egressFromFlags, type ProofFlags } from "./egress-flags.js";

export interface EgressServeFlags extends JsonFlag, ProofFlags {
  readonly listen: string;
  readonly policy: string;
  readonly resolver?: readonly string[];
  readonly log?: string;
}

/** A halt reaches a running broker within this; the log says whether it is to be signed as often. */
const LOOK_EVERY_MS = 1_000;

/**
 * What a thousand new tunnels allocate makes V8 triple the young generation for good; tunnels are
 * opened as fast in a small one, and an idle one then costs half.
 */
const KEEP_YOUNG_GENERATION_SMALL = "--semi-space-growth-factor=1";

const SIGNALS = ["SIGTERM", "SIGINT"] as const;

/** Why a broker ends. */
type Ending =
  | { readonly kind: "stopped" }
  | { readonly kind: "halted"; readonly why: string }
  | { readonly kind: "broken"; readonly error: unknown };

/**
 * `drydock egress serve`: a CONNECT proxy for containers and everything else that can be pointed to
 * one. Runs until SIGTERM or SIGINT, a halt, or a receipt that can't be written.
 */
export const egressServe = async (flags: EgressServeFlags): Promise<number> => {
  setFlagsFromString(KEEP_YOUNG_GENERATION_SMALL);
  const address = parseListen(flags.listen);
  const loaded = egressFromFlags({
    policy: flags.policy,
    ...(flags.resolver === undefined ? {} : { resolver: flags.resolver }),
    proof: flags,
  });
  if (loaded === null) throw new DrydockError("USAGE", "no policy", { fix: "See --help." });
  const { policy } = loaded;
  const ending = firstOf<Ending>();
  let log: Log | null = null;
  const broker = await startStandalone({
    policy,
    listen: address,
    openFiles: openFilesLimit(),
    timers: systemTimers,
    random: systemRandom,
    receipts: (receipt) => {
      if (log === null) throw new DrydockError("LOG_CLOSED", "no log is open");
      log.write(receipt);
    },
    onBroken: (error) => ending.tell({ kind: "broken", error }),
  });
  // Only now: a start that fails must not use up the directory.
  log = await openLog(flags.log, policy, () => broker.close());
  const stopWatching = watch(ending.tell, log);
  const signer = loaded.signature?.keyId ?? null;
  tellReady(flags, broker, { ...log.facts, policy: policy.digest, signer });

  const why = await ending.first;
  stopWatching();
  await broker.close();
  if (why.kind !== "broken") log.end(why.kind === "stopped");
  tellEnd(flags, broker, why);
  if (why.kind === "broken") throw why.error;
  return why.kind === "halted" ? verdictExitCode("BLOCKED") : 0;
};

interface Log {
  write(receipt: EgressReceipt): void;
  checkpoint(): void;
  end(clean: boolean): void;
  /** What the ready line says of it. */
  readonly facts: Readonly<Record<string, unknown>>;
}

/** Unsigned lines, for a supervisor that keeps them. */
const logToStderr = (): Log => ({
  write: (receipt) => {
    const { type, decision, measurements } = receiptEvent(receipt);
    process.stderr.write(`${JSON.stringify({ type, decision, ...measurements })}\n`);
  },
  checkpoint: () => undefined,
  end: () => undefined,
  facts: { log: null },
});

/** @param undo what has to be taken back when there is no log */
const openLog = async (
  path: string | undefined,
  policy: EgressPolicy,
  undo: () => Promise<void>,
): Promise<Log> => {
  try {
    return path === undefined ? logToStderr() : logTo(path, policy);
  } catch (error) {
    await undo();
    throw error;
  }
};

const logTo = (path: string, policy: EgressPolicy): Log => {
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
    later: setImmediate,
  });
  const trust = { schema: TRUST_SCHEMA, keys: [logTrust(key, now)] };
  return { ...log, facts: { log: path, run, trust: JSON.parse(canonicalBytes(trust).toString()) } };
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

const tellReady = (
  flags: JsonFlag,
  broker: Standalone,
  facts: Readonly<Record<string, unknown>>,
): void => {
  const listening = formatListen(broker.address);
  const { maxConnections } = broker;
  const ready = { ready: true, listen: listening, maxConnections, ...facts };
  process.stdout.write(
    flags.json === true
      ? `${JSON.stringify(ready)}\n`
      : [
          `listening on ${listening}, at most ${maxConnections} connections`,
          ...(facts["log"] === null
            ? ["receipts go to stderr, unsigned; --log DIR keeps and signs them"]
            : [
                `log ${visible(String(facts["log"]))}; to check it, keep this trust file elsewhere:`,
                JSON.stringify(facts["trust"]),
              ]),
          "",
        ].join("\n"),
  );
};

const tellEnd = (flags: JsonFlag, broker: Standalone, ending: Ending): void => {
  const { connections, granted, denied, shed, bytesUp, bytesDown, refusals } = broker.counters;
  const counts = { connections, granted, denied, shed, bytesUp, bytesDown };
  const reason = ending.kind === "halted" ? ending.why : null;
  process.stdout.write(
    flags.json === true
      ? `${JSON.stringify({ ready: false, end: ending.kind, reason, ...counts, refusals: Object.fromEntries(refusals) })}\n`
      : `${ending.kind}${reason === null ? "" : `: ${visible(reason, 2000)}`}; ${connections} connections, ${granted} granted, ${denied} denied, ${shed} for want of room\n`,
  );
};

/** RLIMIT_NOFILE as the kernel lists it: Node raised the soft limit when it started. */
const openFilesLimit = (): number => {
  const limits = readFileSync("/proc/self/limits", "utf8");
  const [, soft] = /^Max open files\s+([0-9]+|unlimited)/m.exec(limits) ?? [];
  const number = Number(soft);
  return Number.isSafeInteger(number) ? number : Number.MAX_SAFE_INTEGER;
};
