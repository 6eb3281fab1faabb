import { digestOf } from "../digest/digest.js";
import { type Finding, finding, messageOf } from "../finding.js";
import type { EvidenceRecord } from "../record/record.js";
import type { Role } from "../record/vocabulary.js";
import type { Digest, Id } from "../schema/common.js";
import { maySign } from "../trust/may-sign.js";
import type { Authority } from "../trust/trust.js";
import { logOrigin, parseCheckpoint, type SignedCheckpoint, splitNotes } from "./checkpoint.js";
import { LogFold } from "./fold.js";
import { cosignedAt, isNoteSignedBy } from "./note.js";
import { readLog } from "./read.js";
import type { LogSource } from "./source.js";
import { LOG_ENDS } from "./terminal.js";

/** Each costs one Ed25519 verification (about 0.5 ms); one a second for five hours. */
export const MAX_CHECKPOINTS = 20_000;

export interface LogFiles {
  /** `logs/<role>.jsonl` */
  readonly log: LogSource;
  /** Contents of `logs/<role>.checkpoint`. */
  readonly checkpoints: string;
}

export interface InspectLogOptions {
  readonly run: Id;
  readonly role: Role;
  readonly manifest: Digest;
  /** Keys from the trust file or delegated by one from it; never one from this log. */
  readonly authorities: readonly Authority[];
  /** Keys whose cosignatures anchor a checkpoint. */
  readonly witnesses: readonly Authority[];
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
  /** SHA-256 over the texts of all checkpoints: none of them can go or come unseen. */
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
  const signed = readCheckpoints(files.checkpoints, options);
  const findings = [...signed.findings];
  const sizes = signed.checkpoints.map((checkpoint) => checkpoint.size);
  const signedSize = Math.max(0, ...sizes.slice(-1));
  const fold = new LogFold(
    {
      run: options.run,
      role: options.role,
      manifest: options.manifest,
      authority: signed.authority,
      rootsAt: new Set([...sizes, ...options.rootsAt]),
      file: logFile,
      wanted: options.wanted,
      observeUpTo: signedSize,
    },
    options.observe,
  );
  const ended = readLog(files.log, fold);
  if (ended !== null) findings.push(ended);
  findings.push(...checkpointFindings(signed, fold, logFile));
  const finished = fold.lastType === LOG_ENDS[options.role].end && fold.size === signedSize;
  return {
    role: options.role,
    size: fold.size,
    root: fold.root,
    rootAt: (size) => fold.rootAt(size),
    heads: digestOf(Buffer.from(signed.checkpoints.map((item) => item.note.text).join(""), "utf8")),
    signedSize,
    authority: signed.authority,
    finished,
    witnessed: signed.witnessedSize === fold.size && fold.size > 0,
    findings,
  };
};

interface SignedCheckpoints {
  readonly checkpoints: readonly SignedCheckpoint[];
  readonly places: readonly string[];
  readonly authority: Authority | null;
  readonly witnessedSize: number;
  readonly findings: readonly Finding[];
}

const readCheckpoints = (text: string, options: InspectLogOptions): SignedCheckpoints => {
  const file = `logs/${options.role}.checkpoint`;
  const origin = logOrigin(options.run, options.role);
  const checkpoints: SignedCheckpoint[] = [];
  const places: string[] = [];
  const findings: Finding[] = [];
  const eligible = options.authorities.filter((item) => maySign(item, "log", options.role, null));
  let authority: Authority | null = null;
  let witnessedSize = 0;
  const notes = splitNotes(text);
  if (notes.length > MAX_CHECKPOINTS) {
    findings.push(finding("CHECKPOINT_FORMAT", file, null, `more than ${MAX_CHECKPOINTS} notes`));
    return { checkpoints, places, authority, witnessedSize, findings };
  }
  for (const { at, text: signedText } of notes) {
    const place = `byte ${at}`;
    let checkpoint: SignedCheckpoint;
    try {
      checkpoint = parseCheckpoint(signedText);
    } catch (error) {
      findings.push(finding("CHECKPOINT_FORMAT", file, place, messageOf(error)));
      break;
    }
    if (checkpoint.origin !== origin) {
      findings.push(finding("CHECKPOINT_FORMAT", file, place, `origin isn't ${origin}`));
      break;
    }
    const { note } = checkpoint;
    // The first note fixes the key: a log doesn't change hands.
    const candidates: readonly Authority[] = authority === null ? eligible : [authority];
    const signer = candidates.find((item) => isNoteSignedBy(note, origin, item.key));
    if (signer === undefined) {
      findings.push(
        authority === null
          ? finding("LOG_KEY", file, place, "signed by no key that is trusted for this log")
          : finding("CHECKPOINT_SIGNATURE", file, place, "not signed by the key of this log"),
      );
      break;
    }
    authority = signer;
    const previous = checkpoints.at(-1);
    if (previous !== undefined && checkpoint.size < previous.size) {
      findings.push(finding("CHECKPOINT_ROOT", file, place, "smaller than the one before"));
      break;
    }
    const seen = options.witnesses.filter((item) => cosignedAt(note, item.key) !== null);
    if (seen.length > 0) witnessedSize = checkpoint.size;
    if (note.signatures.length > 1 + seen.length) {
      findings.push(
        finding("WITNESS_UNKNOWN", file, place, "a further signature is by no trusted witness"),
      );
    }
    checkpoints.push(checkpoint);
    places.push(place);
  }
  if (notes.length === 0) {
    findings.push(finding("LOG_UNSIGNED_TAIL", file, null, "no checkpoint: nothing is signed"));
  }
  return { checkpoints, places, authority, witnessedSize, findings };
};

const checkpointFindings = (
  signed: SignedCheckpoints,
  fold: LogFold,
  logFile: string,
): readonly Finding[] => {
  const findings: Finding[] = [];
  const last = signed.checkpoints.at(-1);
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
  const differs = signed.checkpoints.findIndex((checkpoint) => {
    const root = fold.rootAt(checkpoint.size);
    return root !== undefined && !root.equals(checkpoint.root);
  });
  if (differs >= 0) {
    findings.push(
      finding(
        "CHECKPOINT_ROOT",
        logFile.replace(/jsonl$/, "checkpoint"),
        signed.places[differs] ?? null,
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
