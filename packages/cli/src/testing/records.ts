import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface Record {
  readonly type: string;
  readonly decision: string | null;
  readonly measurements: Readonly<{ [name: string]: unknown }>;
}

/** The receipts of one role, in their order. */
export const readRecords = (evidence: string, role: "controller" | "port"): readonly Record[] =>
  readFileSync(join(evidence, "logs", `${role}.jsonl`), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record);
