import { digestOf } from "../digest/digest.js";
import { type Finding, finding, messageOf } from "../finding.js";
import type { Role } from "../record/vocabulary.js";
import type { Digest, Id } from "../schema/common.js";
import { maySign } from "../trust/may-sign.js";
import type { Authority } from "../trust/trust.js";
import { logOrigin, parseCheckpoint, type SignedCheckpoint, splitNotes } from "./checkpoint.js";
import { cosignedAt, isNoteSignedBy } from "./note.js";

/** One a second for five hours; each may cost one Ed25519 verification (about 0.5 ms). */
const MAX_CHECKPOINTS = 20_000;

export interface CheckpointOptions {
  readonly run: Id;
  readonly role: Role;
  /** Keys from the trust file or delegated by one from it; never one from this log. */
  readonly authorities: readonly Authority[];
  /** Keys whose cosignatures anchor a checkpoint. */
  readonly witnesses: readonly Authority[];
  /** What a verdict whose signature holds says `heads` is; null without one. */
  readonly heads: Digest | null;
}

export interface PlacedCheckpoint extends SignedCheckpoint {
  /** Byte in the file, for messages. */
  readonly at: string;
}

export interface Checkpoints {
  /** Those that the log's key signed, up to the first that it didn't. */
  readonly signed: readonly PlacedCheckpoint[];
  readonly authority: Authority | null;
  /**
   * SHA-256 over all of them as the log wrote them, text and own signature: none can go, come or
   * change once a verdict commits this. Cosignatures aren't part, since they may come later.
   */
  readonly heads: Digest;
  /** Size of the largest that a trusted witness cosigned. */
  readonly witnessedSize: number;
  readonly findings: readonly Finding[];
}

/** Reads `logs/<role>.checkpoint` and checks who signed what is in it. */
export const readCheckpoints = (text: string, options: CheckpointOptions): Checkpoints => {
  const findings: Finding[] = [];
  const parsed = parseAll(text, options, findings);
  const heads = headsOf(parsed);
  const authority = signerOf(parsed, options);
  const newest = parsed.at(-1);
  if (newest !== undefined && authority === null) {
    findings.push(problem(options, "LOG_KEY", newest.at, "signed by no key trusted for this log"));
  }
  const signed = authority === null ? [] : signedBy(authority, parsed, heads, options, findings);
  return {
    signed,
    authority,
    heads,
    findings,
    witnessedSize: witnessed(signed, options, findings),
  };
};

const parseAll = (
  text: string,
  options: CheckpointOptions,
  findings: Finding[],
): readonly PlacedCheckpoint[] => {
  const notes = splitNotes(text);
  const origin = logOrigin(options.run, options.role);
  const parsed: PlacedCheckpoint[] = [];
  const wrong = (at: string | null, message: string): void => {
    findings.push(problem(options, "CHECKPOINT_FORMAT", at, message));
  };
  if (notes.length > MAX_CHECKPOINTS) {
    wrong(null, `more than ${MAX_CHECKPOINTS} notes`);
    return [];
  }
  if (notes.length === 0) {
    findings.push(
      problem(options, "LOG_UNSIGNED_TAIL", null, "no checkpoint: nothing of the log is signed"),
    );
  }
  for (const note of notes) {
    const at = `byte ${note.at}`;
    try {
      const checkpoint = parseCheckpoint(note.text);
      if (checkpoint.origin !== origin) {
        wrong(at, `origin isn't ${origin}`);
        break;
      }
      if (checkpoint.size < (parsed.at(-1)?.size ?? 0)) {
        wrong(at, "smaller than the one before");
        break;
      }
      parsed.push({ ...checkpoint, at });
    } catch (error) {
      wrong(at, messageOf(error));
      break;
    }
  }
  return parsed;
};

const headsOf = (checkpoints: readonly PlacedCheckpoint[]): Digest =>
  digestOf(
    Buffer.from(
      checkpoints
        .map(({ note }) => {
          const own = note.signatures[0];
          return `${note.text}\n${own?.name} ${own?.hint.toString("hex")} ${own?.bytes.toString("hex")}\n`;
        })
        .join(""),
      "utf8",
    ),
  );

/** The newest note fixes the key: a log doesn't change hands. */
const signerOf = (
  checkpoints: readonly PlacedCheckpoint[],
  options: CheckpointOptions,
): Authority | null => {
  const newest = checkpoints.at(-1);
  if (newest === undefined) return null;
  return (
    options.authorities.find(
      (item) =>
        maySign(item, "log", options.role, null) &&
        isNoteSignedBy(newest.note, newest.origin, item.key),
    ) ?? null
  );
};

const signedBy = (
  authority: Authority,
  checkpoints: readonly PlacedCheckpoint[],
  heads: Digest,
  options: CheckpointOptions,
  findings: Finding[],
): readonly PlacedCheckpoint[] => {
  // The verdict's signature covers every byte of them, so one verification stands for all.
  if (heads === options.heads) return checkpoints;
  const bad = checkpoints.findIndex(
    ({ note, origin }) => !isNoteSignedBy(note, origin, authority.key),
  );
  if (bad < 0) return checkpoints;
  const at = checkpoints[bad]?.at ?? null;
  findings.push(problem(options, "CHECKPOINT_SIGNATURE", at, "not signed by the key of this log"));
  return checkpoints.slice(0, bad);
};

const witnessed = (
  checkpoints: readonly PlacedCheckpoint[],
  options: CheckpointOptions,
  findings: Finding[],
): number => {
  let size = 0;
  for (const { note, at, size: seenSize } of checkpoints) {
    if (note.signatures.length === 1) continue;
    const seen = options.witnesses.filter((item) => cosignedAt(note, item.key) !== null);
    if (seen.length > 0) size = seenSize;
    if (note.signatures.length > 1 + seen.length) {
      findings.push(
        problem(options, "WITNESS_UNKNOWN", at, "a further signature is by no trusted witness"),
      );
    }
  }
  return size;
};

const problem = (
  options: CheckpointOptions,
  code: Finding["code"],
  at: string | null,
  message: string,
): Finding => finding(code, `logs/${options.role}.checkpoint`, at, message);
