import { linesOf } from "../log/lines.js";
import { readRecordLine } from "../record/read-line.js";
import type { EvidenceRecord } from "../record/record.js";
import { openRunDirectory } from "./directory.js";
import { logFile } from "./layout.js";

/** Some ten thousand decisions. Of a longer log nobody waits for a list. */
const MAX_BYTES = 8 * 1024 * 1024;

/** What a broker refused, for one reason, and how often. */
export interface Refusal {
  readonly authority: string;
  readonly reason: string;
  readonly count: number;
}

/**
 * What the broker of a run wrote that it refused, in the order in which it was first asked for.
 * Nothing is verified here: this is for whoever wonders what a guest lacked.
 *
 * @returns nothing of a run without a broker
 * @throws DrydockError RUN_DIRECTORY, FILE_UNSAFE (also for a log of over 8 MiB); JsonError,
 * ShapeError
 */
export const readRefusals = (path: string): readonly Refusal[] => {
  const chunks = openRunDirectory(path).chunks(logFile("egress"), MAX_BYTES) ?? [];
  const found = new Map<string, Refusal>();
  for (const { bytes } of linesOf(chunks)) {
    const refused = refusalOf(readRecordLine(bytes));
    if (refused === null) continue;
    const key = `${refused.authority} ${refused.reason}`;
    found.set(key, { ...refused, count: (found.get(key)?.count ?? 0) + 1 });
  }
  return [...found.values()];
};

const refusalOf = ({
  type,
  decision,
  measurements,
}: EvidenceRecord): Omit<Refusal, "count"> | null =>
  (type === "egress.decision" || type === "egress.request") && decision === "refused"
    ? { authority: String(measurements["authority"]), reason: String(measurements["reason"]) }
    : null;
