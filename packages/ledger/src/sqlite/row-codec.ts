import { parseJson } from "@drydock/evidence";
import { parseResources, type Resources } from "../resources/vector.js";
import {
  RUN_STATES,
  type RunOutcome,
  type RunRow,
  type RunState,
  type RunVerdict,
  VERDICTS,
} from "../rules/row.js";

/** A row of the `run` table, column by column. */
export interface StoredRow {
  readonly run: string;
  readonly key: string;
  readonly request: string;
  readonly title: string;
  readonly evidence: string;
  readonly owner_boot: string;
  readonly owner_pid: number;
  readonly owner_ticks: number;
  readonly state: string;
  readonly generation: number;
  readonly holder: string;
  readonly lease_until: number;
  readonly reserved: string;
  readonly used: string | null;
  readonly halt_generation: number | null;
  readonly intent: string | null;
  readonly hold_reason: string | null;
  readonly outcome: string | null;
  readonly outcome_detail: string | null;
  readonly created_at: number;
  readonly updated_at: number;
}

export const COLUMNS = [
  "run",
  "key",
  "request",
  "title",
  "evidence",
  "owner_boot",
  "owner_pid",
  "owner_ticks",
  "state",
  "generation",
  "holder",
  "lease_until",
  "reserved",
  "used",
  "halt_generation",
  "intent",
  "hold_reason",
  "outcome",
  "outcome_detail",
  "created_at",
  "updated_at",
] as const satisfies readonly (keyof StoredRow)[];

export const encodeRow = (row: RunRow): StoredRow => ({
  run: row.run,
  key: row.key,
  request: row.request,
  title: row.title,
  evidence: row.evidence,
  owner_boot: row.owner.bootId,
  owner_pid: row.owner.pid,
  owner_ticks: row.owner.startTicks,
  state: row.state,
  generation: row.lease.generation,
  holder: row.lease.holder,
  lease_until: row.lease.until,
  reserved: JSON.stringify(row.reserved),
  used: row.used === null ? null : JSON.stringify(row.used),
  halt_generation: row.haltGeneration,
  intent: row.intent,
  hold_reason: row.holdReason,
  outcome: row.outcome?.kind ?? null,
  outcome_detail: row.outcome === null ? null : outcomeDetail(row.outcome),
  created_at: row.createdAt,
  updated_at: row.updatedAt,
});

/** SQLite checks the column types; what STRICT can't check is checked here. Throws a RangeError. */
export const decodeRow = (stored: StoredRow): RunRow => ({
  run: stored.run,
  key: stored.key,
  request: stored.request,
  title: stored.title,
  evidence: stored.evidence,
  owner: {
    bootId: stored.owner_boot,
    pid: stored.owner_pid,
    startTicks: stored.owner_ticks,
  },
  state: oneOf<RunState>(RUN_STATES, stored.state),
  lease: {
    run: stored.run,
    generation: stored.generation,
    holder: stored.holder,
    until: stored.lease_until,
  },
  reserved: decodeResources(stored.reserved),
  used: stored.used === null ? null : decodeResources(stored.used),
  haltGeneration: stored.halt_generation,
  intent: stored.intent,
  holdReason: stored.hold_reason,
  outcome: decodeOutcome(stored.outcome, stored.outcome_detail),
  createdAt: stored.created_at,
  updatedAt: stored.updated_at,
});

const outcomeDetail = (outcome: RunOutcome): string => {
  switch (outcome.kind) {
    case "verdict":
      return outcome.verdict;
    case "incomplete":
      return outcome.reason;
    case "refused":
      return outcome.code;
  }
};

const decodeOutcome = (kind: string | null, detail: string | null): RunOutcome | null => {
  if (kind === null && detail === null) return null;
  if (detail === null) throw new RangeError(`outcome ${kind} has no detail`);
  switch (kind) {
    case "verdict":
      return { kind, verdict: oneOf<RunVerdict>(VERDICTS, detail) };
    case "incomplete":
      return { kind, reason: detail };
    case "refused":
      return { kind, code: detail };
    default:
      throw new RangeError(`"${kind}" is no outcome`);
  }
};

const decodeResources = (text: string): Resources =>
  parseResources(parseJson(Buffer.from(text)) as Resources);

const oneOf = <T extends string>(allowed: readonly T[], text: string): T => {
  const found = allowed.find((candidate) => candidate === text);
  if (found === undefined) throw new RangeError(`"${text}" is not one of ${allowed.join(", ")}`);
  return found;
};
