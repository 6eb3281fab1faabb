import { type Finding, finding } from "../finding.js";
import type { LogInspection } from "../log/inspect.js";
import type { EvidenceRecord } from "../record/record.js";
import { logFile } from "./layout.js";

/** Head of another log as the controller saw and recorded it. */
export interface Countersignature {
  readonly role: string;
  readonly size: number;
  readonly root: string;
  readonly sequence: number;
}

export const countersignatureOf = (record: EvidenceRecord): Countersignature => ({
  role: String(record.measurements["role"]),
  size: Number(record.measurements["size"]),
  root: String(record.measurements["root"]),
  sequence: record.sequence,
});

/** What the controller saw of another log has to be a prefix of it: so a cut of both shows. */
export const countersignFindings = (
  claims: readonly Countersignature[],
  log: LogInspection,
): Finding[] => {
  const wrong = claims.find((claim) => {
    const root = log.rootAt(claim.size);
    return root === undefined || `sha256:${root.toString("hex")}` !== claim.root;
  });
  if (wrong === undefined) return [];
  const what =
    wrong.size > log.size
      ? `the controller saw ${wrong.size} records of ${log.role}, its log holds ${log.size}`
      : `the controller saw another history of ${log.role} at size ${wrong.size}`;
  return [finding("COUNTERSIGN", logFile("controller"), `record ${wrong.sequence}`, what)];
};
