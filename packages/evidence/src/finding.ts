/**
 * What a finding means for the run: `integrity`: this isn't what was signed, or contradicts
 * itself; `completeness`: what is here is sound but ends early; `note`: worth knowing.
 */
export type FindingEffect = "integrity" | "completeness" | "note";

export const FINDING_EFFECTS = {
  ARTIFACT_DIGEST: "integrity",
  ARTIFACT_LIST: "integrity",
  CHANNEL_BYTES: "integrity",
  CHANNEL_UNSEALED: "integrity",
  CHECKPOINT_FORMAT: "integrity",
  CHECKPOINT_ROOT: "integrity",
  CHECKPOINT_SIGNATURE: "integrity",
  COUNTERSIGN: "integrity",
  DELEGATION: "integrity",
  EVENT: "integrity",
  EXPECT_MISMATCH: "integrity",
  FILE_EXTRA: "integrity",
  FILE_MISSING: "integrity",
  FILE_UNSAFE: "integrity",
  JOURNAL_BINDING: "integrity",
  JOURNAL_FORMAT: "integrity",
  LOG_BINDING: "integrity",
  LOG_CHAIN: "integrity",
  LOG_CLASS: "integrity",
  LOG_KEY: "integrity",
  LOG_RECORD: "integrity",
  LOG_ROOT: "integrity",
  LOG_TRUNCATED: "integrity",
  MANIFEST_DIGEST: "integrity",
  MANIFEST_FORMAT: "integrity",
  VERDICT_BINDING: "integrity",
  VERDICT_DIFFERS: "integrity",
  VERDICT_FORMAT: "integrity",
  VERDICT_SIGNATURE: "integrity",
  ARTIFACT_UNCOMMITTED: "completeness",
  JOURNAL_NO_VERDICT: "completeness",
  LOG_MISSING: "completeness",
  LOG_PARTIAL_LINE: "completeness",
  LOG_UNFINISHED: "completeness",
  LOG_UNSIGNED_TAIL: "completeness",
  RUN_MARKED_INCOMPLETE: "completeness",
  VERDICT_MISSING: "completeness",
  ARTIFACT_REFUSED: "note",
  BOUNDARY_FINDING: "note",
  CANARY_SIGHTED: "note",
  DEVELOPMENT: "note",
  EARLIER_ATTEMPTS: "note",
  EXPECT_UNCHECKED: "note",
  EXPLORATORY: "note",
  LATER_ATTEMPTS: "note",
  NOT_ANCHORED: "note",
  OUTPUT_CUT: "note",
  PARTIAL: "note",
  SCENARIO_FAILED: "note",
  SECRET_RETURNED: "note",
  STAND_IN: "note",
  WEAK_SOURCE: "note",
  WITNESS_UNKNOWN: "note",
} as const satisfies Record<string, FindingEffect>;

export type FindingCode = keyof typeof FINDING_EFFECTS;

export interface Finding {
  readonly code: FindingCode;
  /** Path inside the run directory, or `journal`. */
  readonly file: string;
  /** Where in the file, e.g. `line 3, byte 1204`, `record 2`, or null for all of it. */
  readonly at: string | null;
  readonly message: string;
}

export const finding = (
  code: FindingCode,
  file: string,
  at: string | null,
  message: string,
): Finding => ({ code, file, at, message });

export const hasEffect = (findings: readonly Finding[], effect: FindingEffect): boolean =>
  findings.some((item) => FINDING_EFFECTS[item.code] === effect);

/** Message of an error that a parser threw. */
export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
