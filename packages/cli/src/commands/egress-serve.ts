import {
  type EgressPolicy,
  type LoadedPolicy,
  parseListen,
  type RequireReleased,
} from "@drydock/broker";
import { canonicalBytes, DrydockError, quote, TRUST_SCHEMA } from "@drydock/evidence";
import { verdictExitCode } from "../exit.js";
import { visible } from "../terminal/sanitise.js";
import type { JsonFlag } from "./context.js";
import type { ReadbackFlags, ReleaseFlags } from "./egress-boundary.js";
import { egressFromFlags, type ProofFlags } from "./egress-flags.js";
import {
  type EgressEnd,
  type EgressLogFacts,
  type EgressReady,
  runEgressProcess,
} from "./egress-process.js";
import { isEgressWorker, MAX_WORKERS, runEgressWorker, superviseEgress } from "./egress-workers.js";

export interface EgressServeFlags extends JsonFlag, ProofFlags, ReadbackFlags {
  readonly listen: string;
  readonly policy: string;
  readonly resolver?: readonly string[];
  readonly log?: string;
  readonly workers?: string;
  /** A release's manifest: then signature and key are its own, and the policy has none. */
  readonly release?: string;
}

/**
 * `drydock egress serve`: a CONNECT proxy for containers and everything else that can be pointed to
 * one, in one process or several. Runs until SIGTERM or SIGINT, a halt, or a receipt that can't be
 * written.
 */
export const egressServe = async (flags: EgressServeFlags): Promise<number> => {
  const listen = parseListen(flags.listen);
  const { release, resolver } = flags;
  const loaded = egressFromFlags({
    policy: flags.policy,
    ...(resolver === undefined ? {} : { resolver }),
    ...(release === undefined ? {} : { requireReleased: await releasedBy({ ...flags, release }) }),
    proof: flags,
  });
  if (loaded === null) throw new DrydockError("USAGE", "no policy", { fix: "See --help." });
  const { policy, signature } = loaded;
  const workers = workersFrom(flags.workers, policy);
  const withheld = await readbackGate(flags, loaded);
  const options = { policy, listen, log: flags.log, ...(withheld === null ? {} : { withheld }) };
  if (isEgressWorker()) {
    await runEgressWorker(options, workers);
    return 0;
  }
  const onReady = (ready: readonly EgressReady[]): void =>
    tellReady(flags, ready, { policy: policy.digest, signer: signature?.keyId ?? null });
  const { maxConnections } = policy.limits;
  const ends =
    workers === 1
      ? [
          await runEgressProcess({
            ...options,
            maxConnections,
            onReady: (ready) => onReady([ready]),
          }),
        ]
      : await superviseEgress(workers, onReady);
  tellEnd(flags, ends);
  return ends.some(({ kind }) => kind === "halted") ? verdictExitCode("BLOCKED") : 0;
};

/** Most brokers stand behind no boundary, and start without the code for one. */
const releasedBy = async (flags: ReleaseFlags): Promise<RequireReleased> =>
  (await import("./egress-boundary.js")).releasedBy(flags);

const readbackGate = async (flags: ReadbackFlags, loaded: LoadedPolicy) => {
  if (flags.requireReadback === undefined && flags.readbackKey === undefined) return null;
  return (await import("./egress-boundary.js")).readbackGateFor(flags, loaded);
};

const workersFrom = (text = "1", { limits }: EgressPolicy): number => {
  const count = /^[1-9][0-9]?$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= Math.min(MAX_WORKERS, limits.maxConnections)) return count;
  throw new DrydockError("USAGE", `${quote(text)} is no number of workers for this policy`, {
    fix: `Write a number from 1 to ${MAX_WORKERS}, and no more than the policy's maxConnections.`,
  });
};

const tellReady = (
  flags: JsonFlag,
  ready: readonly EgressReady[],
  facts: Readonly<Record<string, unknown>>,
): void => {
  const listen = ready[0]?.listen ?? "";
  const maxConnections = sumOf(ready.map((one) => one.maxConnections));
  const logs = ready.flatMap(({ log }) => (log === null ? [] : [log]));
  if (flags.json === true) {
    const all = { ready: true, listen, maxConnections, ...logsAsJson(logs), ...facts };
    process.stdout.write(`${JSON.stringify(all)}\n`);
    return;
  }
  const lines =
    logs.length === 0
      ? ["receipts go to stderr, unsigned; --log DIR keeps and signs them"]
      : [
          ...logs.slice(0, -1).map(({ path }) => `log ${visible(path)}`),
          `log ${visible(logs.at(-1)?.path ?? "")}; to check it, keep this trust file elsewhere:`,
          canonicalBytes(trustOf(logs)).toString(),
        ];
  process.stdout.write(
    [`listening on ${listen}, at most ${maxConnections} connections`, ...lines, ""].join("\n"),
  );
};

/** Of one process its log; of several, a list. */
const logsAsJson = (logs: readonly EgressLogFacts[]): Readonly<Record<string, unknown>> => {
  const [first, ...more] = logs;
  if (first === undefined) return { log: null };
  const trust = trustOf(logs);
  if (more.length === 0) return { log: first.path, run: first.run, trust };
  return { logs: logs.map(({ path, run }) => ({ log: path, run })), trust };
};

const trustOf = (logs: readonly EgressLogFacts[]) => ({
  keys: logs.map(({ key }) => key),
  schema: TRUST_SCHEMA,
});

const tellEnd = (flags: JsonFlag, ends: readonly EgressEnd[]): void => {
  const { kind, why: reason } = ends.find((end) => end.kind === "halted") ?? {
    kind: "stopped",
    why: null,
  };
  const count = (name: keyof EgressEnd["counts"]): number =>
    sumOf(ends.map(({ counts }) => counts[name]));
  const counts = {
    connections: count("connections"),
    granted: count("granted"),
    denied: count("denied"),
    shed: count("shed"),
    bytesUp: count("bytesUp"),
    bytesDown: count("bytesDown"),
  };
  const codes = new Set(ends.flatMap(({ refusals }) => Object.keys(refusals)));
  const refusals = Object.fromEntries(
    [...codes].map((code) => [code, sumOf(ends.map((end) => end.refusals[code] ?? 0))]),
  );
  const { connections, granted, denied, shed } = counts;
  process.stdout.write(
    flags.json === true
      ? `${JSON.stringify({ ready: false, end: kind, reason, ...counts, refusals })}\n`
      : `${kind}${reason === null ? "" : `: ${visible(reason, 2000)}`}; ${connections} connections, ${granted} granted, ${denied} denied${reasons(refusals)}, ${shed} for want of room\n`,
  );
};

const sumOf = (numbers: readonly number[]): number =>
  numbers.reduce((total, number) => total + number, 0);

/** Reasons are few, and all our own words. */
const reasons = (refusals: Readonly<Record<string, number>>): string => {
  const list = Object.entries(refusals).map(([code, count]) => `${count} ${code}`);
  return list.length === 0 ? "" : ` (${list.join(", ")})`;
};
