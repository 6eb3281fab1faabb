import { type Finding, finding } from "../finding.js";
import type { LogInspection } from "../log/inspect.js";
import type { Role } from "../record/vocabulary.js";
import { logFile } from "./layout.js";

/** One signer for an effect and for its only bounding evidence would be no second witness. */
export const sharedKeyFindings = (logs: readonly LogInspection[]): Finding[] => {
  const seen = new Map<string, Role>();
  const findings: Finding[] = [];
  for (const log of logs) {
    const keyId = log.authority?.key.keyId;
    if (keyId === undefined) continue;
    const other = seen.get(keyId);
    if (other !== undefined) {
      findings.push(
        finding("LOG_KEY", logFile(log.role), null, `signed with the key of the ${other} log`),
      );
    }
    seen.set(keyId, log.role);
  }
  return findings;
};
