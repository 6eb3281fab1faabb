import { type Finding, finding } from "../finding.js";
import type { EvidenceRecord } from "../record/record.js";
import type { Role } from "../record/vocabulary.js";
import type { Digest } from "../schema/common.js";
import type { Authority } from "../trust/trust.js";
import { type CheckpointOptions, type PlacedCheckpoint, readCheckpoints } from "./checkpoints.js";
import { LogFold } from "./fold.js";
import { readLog } from "./read.js";
import { LOG_ENDS } from "./terminal.js";

export interface LogFiles {
  /** `logs/<role>.jsonl`, in chunks. */
  readonly log: Iterable<Buffer>;
  /** Contents of `logs/<role>.checkpoint`. */
  readonly checkpoints: string;
}

export interface InspectLogOptions extends CheckpointOptions {
  readonly manifest: Digest;
  /** Sizes whose roots others vouch for: countersigned, expected, committed by the verdict. */
  readonly rootsAt: readonly number[];
  /** Types of records that `observe` has to see. */
  readonly wanted: ReadonlySet<string>;
  /** Sees the wanted records of the signed part, in order. */
  readonly observe: (record: EvidenceRecord) => void;
}

export interface LogInspection {
  readonly role: Role;
  readonly size: number;
  readonly root: Buffer;
  readonly rootAt: (size: number) => Buffer | undefined;
  /** See `Checkpoints`. */
  readonly heads: Digest;
  /** Largest size that the log's key signed. */
  readonly signedSize: number;
  readonly authority: Authority | null;
  /** Ends with its terminal record, and that is signed. */
  readonly finished: boolean;
  /** A trusted witness cosigned the whole log. */
  readonly witnessed: boolean;
  readonly findings: readonly Finding[];
}

/**
 * Checks one log on its own: who signed its checkpoints, then every line's form, chain and class,
 * then that each signed root is the root of these lines.
 */
export const inspectLog = (files: LogFiles, options: InspectLogOptions): LogInspection => {
  const logFile = `logs/${options.role}.jsonl`;
  const checkpoints = readCheckpoints(files.checkpoints, options);
  const findings = [...checkpoints.findings];
  const sizes = checkpoints.signed.map((checkpoint) => checkpoint.size);
  const signedSize = Math.max(0, ...sizes.slice(-1));
  const fold = new LogFold(
    {
      run: options.run,
      role: options.role,
      manifest: options.manifest,
      authority: checkpoints.authority,
      rootsAt: new Set([...sizes, ...options.rootsAt]),
      file: logFile,
      wanted: options.wanted,
      observeUpTo: signedSize,
    },
    options.observe,
  );
  const ended = readLog(files.log, fold);
  if (ended !== null) findings.push(ended);
  findings.push(...checkpointFindings(checkpoints.signed, fold, logFile));
  const finished = fold.lastType === LOG_ENDS[options.role].end && fold.size === signedSize;
  return {
    role: options.role,
    size: fold.size,
    root: fold.root,
    rootAt: (size) => fold.rootAt(size),
    heads: checkpoints.heads,
    signedSize,
    authority: checkpoints.authority,
    finished,
    witnessed: checkpoints.witnessedSize === fold.size && fold.size > 0,
    findings,
  };
};

const checkpointFindings = (
  signed: readonly PlacedCheckpoint[],
  fold: LogFold,
  logFile: string,
): readonly Finding[] => {
  const findings: Finding[] = [];
  const last = signed.at(-1);
  if (last === undefined) return findings;
  if (fold.size < last.size) {
    findings.push(
      finding(
        "LOG_TRUNCATED",
        logFile,
        `line ${fold.size + 1}`,
        `holds ${fold.size} valid records, ${last.size} were signed`,
      ),
    );
  }
  const differs = signed.findIndex((checkpoint) => {
    const root = fold.rootAt(checkpoint.size);
    return root !== undefined && !root.equals(checkpoint.root);
  });
  if (differs >= 0) {
    findings.push(
      finding(
        "CHECKPOINT_ROOT",
        logFile.replace(/jsonl$/, "checkpoint"),
        signed[differs]?.at ?? null,
        "signs another history than the log holds",
      ),
    );
  }
  if (fold.size > last.size) {
    findings.push(
      finding(
        "LOG_UNSIGNED_TAIL",
        logFile,
        `line ${last.size + 1}`,
        `${fold.size - last.size} records after the last checkpoint are unsigned`,
      ),
    );
  }
  return findings;
};
