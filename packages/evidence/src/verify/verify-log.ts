import { digestOf } from "../digest/digest.js";
import { isDrydockError } from "../errors.js";
import { type Finding, finding, hasEffect, messageOf } from "../finding.js";
import { parseCheckpoint, splitNotes } from "../log/checkpoint.js";
import { inspectLog } from "../log/inspect.js";
import type { Role } from "../record/vocabulary.js";
import { MAX_LOG_FILE_BYTES, openRunDirectory, type RunDirectory } from "../run/directory.js";
import {
  checkpointFile,
  LOGS_FOLDER,
  logFile,
  MANIFEST_FILE,
  STANDALONE_POLICY_FILE,
} from "../run/layout.js";
import type { Instant } from "../schema/common.js";
import type { Trust } from "../trust/trust.js";
import type { Completeness, Integrity } from "../verdict/derive.js";
import { extra, missing } from "./artifacts.js";

const ROLE: Role = "egress";

const MAX_POLICY_BYTES = 4 * 1024 * 1024;
const MAX_CHECKPOINT_FILE_BYTES = 16 * 1024 * 1024;

export interface VerifyLogOptions {
  readonly trust: Trust;
  /** Keys that aren't valid yet at this instant are refused. */
  readonly now: Instant;
}

export interface LogReport {
  /** Signed by a trusted key, unbroken, and ended in order. */
  readonly ok: boolean;
  readonly integrity: Integrity;
  readonly completeness: Completeness;
  readonly run: string | null;
  /** Records that a checkpoint covers. */
  readonly records: number;
  readonly findings: readonly Finding[];
}

/** Whether a directory is the log of a process on its own, and not a run. */
export const isLogDirectory = (path: string): boolean => {
  const names = openRunDirectory(path).list("") ?? [];
  return names.includes(STANDALONE_POLICY_FILE) && !names.includes(MANIFEST_FILE);
};

/**
 * Verifies the log of an egress broker that ran on its own: who signed it, every line's form, chain
 * and class, every signed root, and that it is about the policy that lies beside it. There is no
 * verdict to derive, and nobody countersigned: what a broker says of itself is all there is.
 *
 * @throws DrydockError RUN_DIRECTORY when `path` is no directory
 */
export const verifyLogDirectory = (path: string, options: VerifyLogOptions): LogReport => {
  const directory = openRunDirectory(path);
  try {
    return verifyIn(directory, options);
  } catch (error) {
    if (!isDrydockError(error) || error.code !== "FILE_UNSAFE") throw error;
    return reportOf(null, 0, [finding("FILE_UNSAFE", ".", null, error.message)]);
  }
};

const verifyIn = (directory: RunDirectory, { trust, now }: VerifyLogOptions): LogReport => {
  const policy = directory.read(STANDALONE_POLICY_FILE, MAX_POLICY_BYTES);
  const log = directory.chunks(logFile(ROLE), MAX_LOG_FILE_BYTES);
  const checkpoints =
    directory.read(checkpointFile(ROLE), MAX_CHECKPOINT_FILE_BYTES)?.toString("utf8") ?? "";
  if (policy === null) return reportOf(null, 0, [missing(STANDALONE_POLICY_FILE)]);
  if (log === null) return reportOf(null, 0, [missing(logFile(ROLE))]);
  const run = runOf(checkpoints);
  if (typeof run !== "string") return reportOf(null, 0, [run]);
  const authorities = trust.authorities.filter((item) => item.notBefore <= now);
  const inspection = inspectLog(
    { log, checkpoints },
    {
      run,
      role: ROLE,
      manifest: digestOf(policy),
      authorities,
      witnesses: authorities.filter((item) => item.namespaces.includes("witness")),
      heads: null,
      rootsAt: [],
      wanted: new Set(),
      observe: () => undefined,
    },
  );
  const findings = [...inspection.findings, ...unknownFiles(directory)];
  if (!inspection.finished) {
    const message = "the log has no signed terminal record";
    findings.push(finding("LOG_UNFINISHED", logFile(ROLE), null, message));
  }
  if (!inspection.witnessed) {
    const message = "no head kept elsewhere vouches for this log";
    findings.push(finding("NOT_ANCHORED", ".", null, message));
  }
  return reportOf(run, inspection.signedSize, findings);
};

/** The name is in each checkpoint's first line, and every record has to bear the same one. */
const runOf = (checkpoints: string): string | Finding => {
  const file = checkpointFile(ROLE);
  const [first] = splitNotes(checkpoints);
  if (first === undefined) {
    return finding("LOG_UNSIGNED_TAIL", file, null, "no checkpoint: nothing of the log is signed");
  }
  try {
    const { origin } = parseCheckpoint(first.text);
    const [, run] = /^drydock\.dev\/log\/v1\/([^/]+)\/egress$/.exec(origin) ?? [];
    return (
      run ?? finding("CHECKPOINT_FORMAT", file, null, "isn't the checkpoint of a broker's log")
    );
  } catch (error) {
    return finding("CHECKPOINT_FORMAT", file, null, messageOf(error));
  }
};

const unknownFiles = (directory: RunDirectory): readonly Finding[] => {
  const known = new Set([
    STANDALONE_POLICY_FILE,
    LOGS_FOLDER,
    ...[logFile(ROLE), checkpointFile(ROLE)].map((file) => file.slice(LOGS_FOLDER.length + 1)),
  ]);
  return ["", LOGS_FOLDER].flatMap((folder) =>
    (directory.list(folder) ?? [])
      .filter((name) => !known.has(name))
      .slice(0, 16)
      .map((name) => extra(folder, name)),
  );
};

const reportOf = (run: string | null, records: number, findings: readonly Finding[]): LogReport => {
  const intact = !hasEffect(findings, "integrity");
  const complete = !hasEffect(findings, "completeness");
  return {
    ok: intact && complete,
    integrity: intact ? "intact" : "broken",
    completeness: complete ? "complete" : "incomplete",
    run,
    records,
    findings,
  };
};
