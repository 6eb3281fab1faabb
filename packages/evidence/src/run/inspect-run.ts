import { type Finding, finding, messageOf } from "../finding.js";
import { type InspectLogOptions, inspectLog, type LogInspection } from "../log/inspect.js";
import type { Manifest } from "../manifest/manifest.js";
import type { EvidenceRecord } from "../record/record.js";
import { ROLES, type Role } from "../record/vocabulary.js";
import type { Digest } from "../schema/common.js";
import { delegatedAuthority } from "../trust/delegated-authority.js";
import { maySign } from "../trust/may-sign.js";
import type { Authority } from "../trust/trust.js";
import type { VerdictFold } from "../verdict/derive.js";
import { type Countersignature, countersignatureOf, countersignFindings } from "./countersign.js";
import { MAX_LOG_FILE_BYTES, type RunDirectory } from "./directory.js";
import { checkpointFile, logFile } from "./layout.js";
import { sharedKeyFindings } from "./shared-keys.js";

const MAX_CHECKPOINT_FILE_BYTES = 16 * 1024 * 1024;

const OWN_TYPES = ["key.delegated", "countersign", "journal.appended", "artifacts.collected"];

export interface InspectRunOptions {
  readonly directory: RunDirectory;
  readonly manifest: Manifest;
  readonly manifestDigest: Digest;
  readonly authorities: readonly Authority[];
  /** Sizes of a role's log whose roots somebody else names. */
  readonly rootsAt: (role: Role) => readonly number[];
  /** What a verdict whose signature holds commits of a role's checkpoints; null without one. */
  readonly heads: (role: Role) => Digest | null;
  readonly fold: VerdictFold;
}

export interface RunInspection {
  readonly logs: readonly LogInspection[];
  /** The last `journal.appended` record of the controller. */
  readonly journalRecord: EvidenceRecord | null;
  /** The last `artifacts.collected` record of the controller. */
  readonly artifactsRecord: EvidenceRecord | null;
  readonly findings: readonly Finding[];
}

/**
 * Checks all logs of a run: the controller's first, because it certifies the keys of the others
 * and countersigned their heads.
 */
export const inspectRun = (options: InspectRunOptions): RunInspection => {
  const findings: Finding[] = [];
  const delegations: EvidenceRecord[] = [];
  const claims: Countersignature[] = [];
  let journalRecord: EvidenceRecord | null = null;
  let artifactsRecord: EvidenceRecord | null = null;
  const controller = inspectRole(options, "controller", options.authorities, [], (record) => {
    switch (record.type) {
      case "key.delegated":
        // One a role; a longer list is a mistake that the first extra one shows.
        if (delegations.length <= ROLES.length) delegations.push(record);
        return;
      case "countersign":
        claims.push(countersignatureOf(record));
        return;
      case "journal.appended":
        journalRecord = record;
        return;
      case "artifacts.collected":
        artifactsRecord = record;
        return;
    }
  });
  if (controller === null) {
    findings.push(finding("LOG_MISSING", logFile("controller"), null, "no controller log"));
  }
  const delegated = delegatedKeys(delegations, controller?.authority ?? null, findings);
  const logs: LogInspection[] = controller === null ? [] : [controller];
  for (const role of ROLES) {
    if (role === "controller") continue;
    const own = claims.filter((claim) => claim.role === role);
    const log = inspectRole(
      options,
      role,
      [...options.authorities, ...delegated],
      own.map((claim) => claim.size),
      () => undefined,
    );
    if (log !== null) {
      logs.push(log);
      findings.push(...countersignFindings(own, log));
    } else if (own.length > 0 || delegated.some((item) => item.roles.includes(role))) {
      findings.push(finding("LOG_MISSING", logFile(role), null, `no log of role ${role}`));
    }
  }
  findings.push(...logs.flatMap((log) => log.findings), ...sharedKeyFindings(logs));
  return { logs, journalRecord, artifactsRecord, findings };
};

const inspectRole = (
  options: InspectRunOptions,
  role: Role,
  authorities: readonly Authority[],
  rootsAt: readonly number[],
  observe: InspectLogOptions["observe"],
): LogInspection | null => {
  const log = options.directory.chunks(logFile(role), MAX_LOG_FILE_BYTES);
  if (log === null) return null;
  const checkpoints = options.directory.read(checkpointFile(role), MAX_CHECKPOINT_FILE_BYTES);
  return inspectLog(
    { log, checkpoints: checkpoints?.toString("utf8") ?? "" },
    {
      run: options.manifest.run,
      role,
      manifest: options.manifestDigest,
      authorities,
      witnesses: options.authorities.filter((item) => item.namespaces.includes("witness")),
      heads: options.heads(role),
      rootsAt: [...rootsAt, ...options.rootsAt(role)],
      wanted: new Set([...options.fold.wanted, ...OWN_TYPES]),
      observe: (record) => {
        options.fold.observe(record);
        observe(record);
      },
    },
  );
};

const delegatedKeys = (
  records: readonly EvidenceRecord[],
  delegator: Authority | null,
  findings: Finding[],
): readonly Authority[] => {
  const keys: Authority[] = [];
  for (const record of records) {
    const at = `record ${record.sequence}`;
    if (delegator === null || !maySign(delegator, "log", "controller", null)) continue;
    try {
      const authority = delegatedAuthority(record, delegator);
      if (keys.some((item) => item.roles[0] === authority.roles[0])) {
        findings.push(
          finding("DELEGATION", logFile("controller"), at, "a second key for the same role"),
        );
      } else {
        keys.push(authority);
      }
    } catch (error) {
      findings.push(finding("DELEGATION", logFile("controller"), at, messageOf(error)));
    }
  }
  return keys;
};
