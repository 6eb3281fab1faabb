import type { EvidenceRecord } from "../record/record.js";
import type { Role } from "../record/vocabulary.js";
import { type Gate, type Outcome, type RecordPattern, VERDICTS, type Verdict } from "./gate.js";
import { matchRecord } from "./match.js";

export interface EvidenceRef {
  readonly role: Role;
  readonly seq: number;
}

export interface GateResult {
  readonly id: string;
  readonly result: Verdict;
  /** Records that decided it: the first few of each pattern. */
  readonly evidence: readonly EvidenceRef[];
}

/** Of each pattern; a flood of violations needs no longer list to be one. */
const MAX_EVIDENCE = 8;

interface Count {
  readonly pattern: RecordPattern;
  seen: number;
  readonly first: EvidenceRef[];
}

interface GateState {
  readonly gate: Gate;
  readonly required: readonly Count[];
  readonly forbidden: readonly Count[];
}

/** Evaluates gates over records as they come, in memory that doesn't grow with the log. */
export class GateEvaluator {
  readonly #gates: readonly GateState[];
  readonly #byType = new Map<string, { count: Count; forbidden: boolean }[]>();

  constructor(gates: readonly Gate[]) {
    this.#gates = gates.map((gate) => ({
      gate,
      required: gate.require.map((pattern) => this.#watch(pattern, false)),
      forbidden: gate.forbid.map((pattern) => this.#watch(pattern, true)),
    }));
  }

  /** Types of records that any pattern looks at. */
  get types(): readonly string[] {
    return [...this.#byType.keys()];
  }

  observe(record: EvidenceRecord): void {
    for (const { count, forbidden } of this.#byType.get(record.type) ?? []) {
      const match = matchRecord(count.pattern, record);
      // What can't be decided counts against the run: it meets no requirement, and it trips
      // a prohibition.
      if (match === "yes" || (match === "unknown" && forbidden)) {
        count.seen += 1;
        if (count.first.length < MAX_EVIDENCE) {
          count.first.push({ role: record.role, seq: record.sequence });
        }
      }
    }
  }

  results(): readonly GateResult[] {
    return this.#gates.map(resultOf);
  }

  #watch(pattern: RecordPattern, forbidden: boolean): Count {
    const count: Count = { pattern, seen: 0, first: [] };
    const watched = this.#byType.get(pattern.type) ?? [];
    watched.push({ count, forbidden });
    this.#byType.set(pattern.type, watched);
    return count;
  }
}

const resultOf = ({ gate, required, forbidden }: GateState): GateResult => {
  const violated = forbidden.filter((count) => count.seen > 0);
  const unmet = required.filter((count) => !isMet(count));
  const outcomes: Outcome[] = [...violated, ...unmet].map((count) => count.pattern.outcome);
  const deciding = violated.length > 0 ? violated : required;
  return {
    id: gate.id,
    result: worstOf(outcomes),
    evidence: deciding.flatMap((count) => count.first),
  };
};

const isMet = (count: Count): boolean => {
  if (!("min" in count.pattern)) return false;
  const { min, max } = count.pattern;
  return count.seen >= min && (max === null || count.seen <= max);
};

/** INVALID > FAIL > UNCERTAIN > INCOMPLETE > PASS. */
export const worstOf = (verdicts: readonly Verdict[]): Verdict =>
  VERDICTS.find((verdict) => verdicts.includes(verdict)) ?? "PASS";
