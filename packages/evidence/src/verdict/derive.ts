import { type Finding, finding, hasEffect } from "../finding.js";
import { GateEvaluator, type GateResult, worstOf } from "../gates/evaluate.js";
import type { Verdict } from "../gates/gate.js";
import type { Attempt } from "../journal/attempts.js";
import type { Manifest } from "../manifest/manifest.js";
import type { Tier } from "../manifest/run.js";
import { quote } from "../quote.js";
import { eventProblem } from "../record/check-event.js";
import type { EvidenceRecord } from "../record/record.js";
import type { Role } from "../record/vocabulary.js";
import { type EarlierAttempts, summariseAttempts } from "./attempts.js";
import { ChannelLedger } from "./channels.js";
import { claimsOf } from "./claims.js";

export type Integrity = "intact" | "broken";
export type Completeness = "complete" | "incomplete";

export interface DerivedVerdict {
  readonly verdict: Verdict;
  /** What the manifest claims; meaningful with PASS only. */
  readonly tier: Tier | null;
  readonly integrity: Integrity;
  readonly completeness: Completeness;
  readonly gates: readonly GateResult[];
  readonly findings: readonly Finding[];
  readonly earlierAttempts: EarlierAttempts;
}

export interface LogToJudge {
  readonly role: Role;
  readonly records: Iterable<EvidenceRecord>;
  /** The log ends with its terminal record, and that is signed. */
  readonly finished: boolean;
}

export interface Judged {
  readonly manifest: Manifest;
  readonly logs: readonly LogToJudge[];
  readonly earlierAttempts: readonly Attempt[];
  /** What reading the logs found. */
  readonly findings?: readonly Finding[];
}

/**
 * The verdict that records and manifest give. It reads no clock and no file, and the gates are
 * the manifest's: any version, anywhere, derives the same.
 */
export const deriveVerdict = (judged: Judged): DerivedVerdict => {
  const fold = new VerdictFold(judged.manifest);
  for (const log of judged.logs) for (const record of log.records) fold.observe(record);
  return fold.finish({
    logs: judged.logs,
    earlierAttempts: judged.earlierAttempts,
    findings: judged.findings ?? [],
  });
};

/** Notes of each kind that are written out; the rest is counted by the logs themselves. */
const MAX_NOTES = 64;
const NOTED = [
  "key.delegated",
  "artifact.refused",
  "artifact.canary",
  "boundary.finding",
  "canary.sighted",
  "egress.closed",
  "lab.scenario",
  "console.cut",
  "output.cut",
];

type Noted =
  | "EVENT"
  | "ARTIFACT_REFUSED"
  | "BOUNDARY_FINDING"
  | "CANARY_SIGHTED"
  | "OUTPUT_CUT"
  | "SCENARIO_FAILED"
  | "SECRET_RETURNED";

/** `deriveVerdict`, record by record, in memory that doesn't grow with the logs. */
export class VerdictFold {
  readonly #tier: Tier | null;
  readonly #gates: GateEvaluator;
  readonly #channels: ChannelLedger;
  readonly #findings: Finding[] = [];
  readonly #delegated = new Set<string>();

  constructor(manifest: Manifest) {
    const { tier, channels, weaknesses } = claimsOf(manifest);
    this.#tier = tier;
    this.#gates = new GateEvaluator(manifest.gates);
    this.#channels = new ChannelLedger(channels);
    this.#findings.push(...weaknesses);
  }

  /** Types of records that matter to it; others may be left out. */
  get wanted(): ReadonlySet<string> {
    return new Set([...this.#gates.types, ...ChannelLedger.types, ...NOTED]);
  }

  observe(record: EvidenceRecord): void {
    const problem = eventProblem(record);
    if (problem !== null) {
      this.#find("EVENT", record, problem.message);
      return;
    }
    this.#gates.observe(record);
    this.#channels.observe(record);
    this.#note(record);
  }

  finish(outcome: {
    readonly logs: readonly Pick<LogToJudge, "role" | "finished">[];
    readonly earlierAttempts: readonly Attempt[];
    readonly findings: readonly Finding[];
  }): DerivedVerdict {
    const finished = outcome.logs.filter((log) => log.finished).map((log) => log.role);
    const findings = [
      ...outcome.findings,
      ...this.#findings,
      ...this.#channels.findings(new Set(finished)),
      ...this.#unfinished(
        outcome.logs.map((log) => log.role),
        finished,
      ),
    ];
    if (outcome.earlierAttempts.length > 0) {
      findings.push(
        finding(
          "EARLIER_ATTEMPTS",
          "journal",
          null,
          `runs of this experiment before it: ${outcome.earlierAttempts.length}`,
        ),
      );
    }
    const gates = this.#gates.results();
    const integrity = hasEffect(findings, "integrity") ? "broken" : "intact";
    const completeness = hasEffect(findings, "completeness") ? "incomplete" : "complete";
    return {
      verdict: worstOf([
        ...(integrity === "broken" ? (["INVALID"] as const) : []),
        ...(completeness === "incomplete" ? (["INCOMPLETE"] as const) : []),
        ...gates.map((gate) => gate.result),
      ]),
      tier: this.#tier,
      integrity,
      completeness,
      gates,
      findings,
      earlierAttempts: summariseAttempts(outcome.earlierAttempts),
    };
  }

  /** Who wrote a log, or had a key certified for one, owes its end; the controller always does. */
  #unfinished(present: readonly string[], finished: readonly string[]): readonly Finding[] {
    return [...new Set(["controller", ...this.#delegated, ...present])]
      .filter((role) => !finished.includes(role))
      .map((role) =>
        finding("LOG_UNFINISHED", `logs/${role}.jsonl`, null, "no signed terminal record"),
      );
  }

  #note(record: EvidenceRecord): void {
    switch (record.type) {
      case "key.delegated":
        this.#delegated.add(String(record.measurements["role"]));
        return;
      case "artifact.refused":
        this.#find(
          "ARTIFACT_REFUSED",
          record,
          `${quote(String(record.measurements["path"]))} refused by ${String(record.measurements["rule"])}`,
        );
        return;
      case "artifact.canary":
        this.#find(
          "CANARY_SIGHTED",
          record,
          `${String(record.measurements["canary"])} in ${quote(String(record.measurements["path"]))}`,
        );
        return;
      case "boundary.finding":
        this.#find(
          "BOUNDARY_FINDING",
          record,
          `${String(record.measurements["code"])} ${quote(String(record.measurements["about"]))}`,
        );
        return;
      case "canary.sighted":
        this.#find(
          "CANARY_SIGHTED",
          record,
          ["canary", "encoding", "channel", "place"]
            .map((name) => String(record.measurements[name]))
            .join(" "),
        );
        return;
      case "egress.closed":
        this.#noteTunnel(record);
        return;
      case "lab.scenario":
        this.#noteScenario(record);
        return;
      case "console.cut":
      case "output.cut":
        this.#find(
          "OUTPUT_CUT",
          record,
          `${record.type}: ${String(record.measurements["dropped"])} bytes dropped`,
        );
        return;
    }
  }

  #noteTunnel(record: EvidenceRecord): void {
    const { reason, authority, finding: name } = record.measurements;
    if (reason === "CANARY")
      this.#find("CANARY_SIGHTED", record, `${String(name)} to ${String(authority)}`);
    if (reason === "RESPONSE_HAS_SECRET")
      this.#find("SECRET_RETURNED", record, `${String(name)} from ${String(authority)}; cut`);
  }

  #noteScenario({ decision, measurements, ...record }: EvidenceRecord): void {
    if (decision !== "failed") return;
    const { name, variant, failures } = measurements;
    const which = variant === "" ? String(name) : `${String(name)} (${quote(String(variant))})`;
    const what = Array.isArray(failures) ? failures.map((one) => quote(String(one))) : [];
    this.#find("SCENARIO_FAILED", record, [which, ...what].join(" "));
  }

  #find(code: Noted, record: Pick<EvidenceRecord, "role" | "sequence">, what: string) {
    if (this.#findings.filter((item) => item.code === code).length >= MAX_NOTES) return;
    this.#findings.push(
      finding(code, `logs/${record.role}.jsonl`, `record ${record.sequence}`, what),
    );
  }
}
