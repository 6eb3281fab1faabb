import { type Finding, finding } from "../finding.js";
import type { LogInspection } from "../log/inspect.js";
import type { Manifest } from "../manifest/manifest.js";
import { experimentDigest } from "../manifest/seal.js";
import type { EvidenceRecord } from "../record/record.js";
import { checkpointFile, logFile, VERDICT_FILE } from "../run/layout.js";
import type { Authority } from "../trust/trust.js";
import type { VerdictPredicate } from "../verdict/statement.js";

/** What the verdict commits against what is there: run, experiment, every log's size, root, key. */
export const bindingFindings = (
  verdict: VerdictPredicate,
  signer: Authority,
  manifest: Manifest,
  logs: readonly LogInspection[],
  journalRecord: EvidenceRecord | null,
): readonly Finding[] => {
  const findings: Finding[] = [];
  const wrong = (at: string, what: string): void => {
    findings.push(finding("VERDICT_BINDING", VERDICT_FILE, at, what));
  };
  if (verdict.run !== manifest.run) wrong("run", "speaks of another run");
  if (verdict.experiment !== experimentDigest(manifest))
    wrong("experiment", "isn't the manifest's");
  if (!(signer.notBefore <= verdict.created && verdict.created <= signer.notAfter)) {
    wrong("created", "lies outside the time for which the key is trusted");
  }
  const controller = logs.find((log) => log.role === "controller");
  if (controller?.authority?.key.keyId !== signer.key.keyId) {
    wrong("signatures", "signed by another key than the controller's log");
  }
  const journal = journalRecord?.measurements;
  const { index, size, root } = verdict.journal;
  if (journal?.["index"] !== index || journal["size"] !== size || journal["root"] !== root) {
    wrong("journal", "names another place than the controller's log");
  }
  return [...findings, ...logFindings(verdict, logs)];
};

const logFindings = (
  verdict: VerdictPredicate,
  logs: readonly LogInspection[],
): readonly Finding[] => {
  const findings: Finding[] = [];
  for (const log of logs) {
    if (!verdict.logs.some((item) => item.role === log.role)) {
      findings.push(finding("LOG_ROOT", logFile(log.role), null, "isn't committed by the verdict"));
    }
  }
  for (const committed of verdict.logs) {
    const log = logs.find((item) => item.role === committed.role);
    const file = logFile(committed.role);
    if (log === undefined) {
      findings.push(finding("LOG_ROOT", file, null, "is committed by the verdict and isn't there"));
      continue;
    }
    if (committed.size !== log.size) {
      findings.push(
        finding(
          log.size < committed.size ? "LOG_TRUNCATED" : "LOG_ROOT",
          file,
          `line ${Math.min(committed.size, log.size) + 1}`,
          `holds ${log.size} valid records, the verdict commits ${committed.size}`,
        ),
      );
    } else if (committed.root !== `sha256:${log.root.toString("hex")}`) {
      findings.push(finding("LOG_ROOT", file, null, "isn't the log that the verdict commits"));
    }
    if (committed.key !== (log.authority?.key.keyId ?? null)) {
      findings.push(finding("LOG_KEY", file, null, "signed by another key than the verdict saw"));
    }
    if (committed.heads !== log.heads) {
      findings.push(
        finding(
          "CHECKPOINT_ROOT",
          checkpointFile(committed.role),
          null,
          "doesn't hold the checkpoints that the verdict commits",
        ),
      );
    }
  }
  return findings;
};
