import { CONTRACT_STATES, type HexDigest, type TransitionRecord } from "@drydock/acceptance";
import type { Digest } from "@drydock/evidence";
import type { ExchangeRecord } from "@drydock/faults";
import * as z from "zod/mini";

/**
 * What is kept of what happened in one scenario. No row has a value of the appliance, a body, a
 * header, a query or a credential: methods, templates, statuses, times, states and digests.
 */
export type ScenarioRecord = ExchangeRow | TransitionRow | ConfigurationRow | HistoryRow;

/** One request, as the fault proxy saw it: neither its sender nor its receiver says so. */
export interface ExchangeRow {
  readonly kind: "exchange";
  readonly phase: string;
  readonly method: string;
  /** A template that the lab knows, or `{unlisted}`. */
  readonly path: string;
  readonly status: number | null;
  /** Milliseconds since the proxy began; null while an exchange is open. */
  readonly atMs: number;
  readonly durationMs: number | null;
  readonly delivered: "proven" | "possibly" | "proven-not";
  readonly copies: number;
  readonly outcome: string;
  /** Faults that had an effect on it. */
  readonly took: readonly string[];
}

/** One line of a contract's history, as its store has it. */
export interface TransitionRow {
  readonly kind: "transition";
  readonly contractId: string;
  readonly event: string;
  readonly from: TransitionRecord["previousState"];
  readonly to: TransitionRecord["currentState"];
  readonly stateVersion: number;
  /** Milliseconds since 1970 by the scenario's clock, which may be moved. */
  readonly at: number;
  readonly failureClass: string | null;
  readonly exceptionClass: string | null;
  readonly targetIdentityDigest: string;
  readonly intentDigest: string;
  /** Of a confirmation or a conclusion that it rests on. */
  readonly evidenceDigest: string | null;
}

/** What the appliance's whole configuration was. */
export interface ConfigurationRow {
  readonly kind: "configuration";
  readonly when: "start" | "end";
  readonly digest: Digest;
}

/** What the executor captured of the appliance's own history: its newest revision. */
export interface HistoryRow {
  readonly kind: "history";
  /** Which step came after it. */
  readonly before: "execute" | "rollback";
  readonly digest: HexDigest;
}

export const exchangeRow = (record: ExchangeRecord): ExchangeRow => ({
  kind: "exchange",
  phase: record.phase,
  method: record.method,
  path: record.path,
  status: record.status,
  atMs: record.atMs,
  durationMs: record.durationMs,
  delivered: record.delivered,
  copies: record.copies,
  outcome: record.outcome,
  took: record.fault?.took ?? [],
});

export const transitionRow = (line: TransitionRecord): TransitionRow => ({
  kind: "transition",
  contractId: line.contractId,
  event: line.outcome,
  from: line.previousState,
  to: line.currentState,
  stateVersion: line.stateVersion,
  at: line.at,
  failureClass: line.failureClass,
  exceptionClass: line.exceptionClass,
  targetIdentityDigest: line.targetIdentityDigest,
  intentDigest: line.intentDigest,
  evidenceDigest: line.evidenceDigest,
});

const word = z.string().check(z.regex(/^[A-Za-z0-9_.:-]{1,128}$/));
const digest = z.string().check(z.regex(/^[0-9a-f]{64}$/));
const count = z.int().check(z.minimum(0));
const state = z.enum(CONTRACT_STATES);

/** A record on its way from one process to another. */
export const scenarioRecordShape: z.ZodMiniType<ScenarioRecord> = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("exchange"),
    phase: word,
    method: word,
    path: z.string().check(z.regex(/^[A-Za-z0-9_./{}-]{1,256}$/)),
    status: z.nullable(count),
    atMs: count,
    durationMs: z.nullable(count),
    delivered: z.enum(["proven", "possibly", "proven-not"]),
    copies: count,
    outcome: word,
    took: z.array(word).check(z.maxLength(16)),
  }),
  z.strictObject({
    kind: z.literal("transition"),
    contractId: word,
    event: word,
    from: z.nullable(state),
    to: state,
    stateVersion: count,
    at: count,
    failureClass: z.nullable(word),
    exceptionClass: z.nullable(word),
    targetIdentityDigest: digest,
    intentDigest: digest,
    evidenceDigest: z.nullable(digest),
  }),
  z.strictObject({ kind: z.literal("history"), before: z.enum(["execute", "rollback"]), digest }),
  z.strictObject({
    kind: z.literal("configuration"),
    when: z.enum(["start", "end"]),
    digest: z.string().check(z.regex(/^sha256:[0-9a-f]{64}$/)),
  }),
]);
