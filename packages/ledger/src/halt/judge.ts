import { isDrydockError } from "@drydock/evidence";
import { type HaltRecord, type HaltSignature, parseHaltRecord, statementBytes } from "./record.js";

/** What was found at one place where a halt may stand. */
export type HaltListing =
  | { readonly kind: "absent" }
  /** There is something, and it couldn't be read; `forbidden` for want of a permission. */
  | { readonly kind: "unreadable"; readonly why: string; readonly forbidden: boolean }
  /** All names at the place, and the bytes of the record with the highest number. */
  | { readonly kind: "records"; readonly names: readonly string[]; readonly newest: Uint8Array };

/** Whether the signature is by a key that is trusted for namespace `halt` at that instant. */
export type HaltSignatureCheck = (
  statement: Uint8Array,
  signature: HaltSignature,
  at: string,
) => boolean;

export type HaltJudgement =
  | { readonly kind: "clear"; readonly generation: number; readonly record: HaltRecord | null }
  | { readonly kind: "halted"; readonly generation: number; readonly record: HaltRecord }
  /** Nobody can tell, and therefore it is a halt. */
  | { readonly kind: "malformed"; readonly why: string };

/**
 * Guard: is there a halt? Only two answers are "no": nothing was ever written, or the newest of an
 * unbroken row of records is an `off` that a trusted key signed. Whatever can't be read, parsed,
 * counted or verified is a halt.
 */
export const judgeHalt = (listing: HaltListing, check: HaltSignatureCheck): HaltJudgement => {
  switch (listing.kind) {
    case "absent":
      return { kind: "clear", generation: 0, record: null };
    case "unreadable":
      return { kind: "malformed", why: listing.why };
    case "records":
      return judgeRecords(listing.names, listing.newest, check);
  }
};

/** Name of the record with that generation: eight digits, so that names sort as numbers do. */
export const recordName = (generation: number): string =>
  `${String(generation).padStart(8, "0")}.json`;

const judgeRecords = (
  names: readonly string[],
  newest: Uint8Array,
  check: HaltSignatureCheck,
): HaltJudgement => {
  const sorted = [...names].sort();
  const gap = sorted.findIndex((name, index) => name !== recordName(index + 1));
  if (gap !== -1) return malformed(`expected ${recordName(gap + 1)}, found ${sorted[gap]}`);

  let record: HaltRecord;
  try {
    record = parseHaltRecord(newest);
  } catch (error) {
    if (!isDrydockError(error)) throw error;
    return malformed(error.message);
  }
  if (record.generation !== sorted.length) {
    return malformed(`${recordName(sorted.length)} says generation ${record.generation}`);
  }
  if (record.signature === null) return { kind: "halted", generation: record.generation, record };
  return check(statementBytes(record), record.signature, record.at)
    ? { kind: "clear", generation: record.generation, record }
    : malformed(`${recordName(sorted.length)} lifts the halt without a trusted signature`);
};

const malformed = (why: string): HaltJudgement => ({ kind: "malformed", why });
