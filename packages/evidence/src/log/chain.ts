import { quote } from "../quote.js";
import type { EvidenceRecord } from "../record/record.js";
import type { Role } from "../record/vocabulary.js";
import type { Digest, Id } from "../schema/common.js";

/** Where the next record has to connect. */
export interface ChainPosition {
  readonly run: Id;
  readonly role: Role;
  readonly sequence: number;
  readonly prev: Digest;
}

/**
 * What is wrong with a record as the next of its log, or null. Deleting, repeating, reordering
 * or importing a record shows here even before any signature is looked at.
 */
export const chainProblem = (
  record: Pick<EvidenceRecord, "run" | "role" | "sequence" | "prev">,
  position: ChainPosition,
): string | null => {
  if (record.run !== position.run) {
    return `belongs to run ${quote(record.run)}, not ${quote(position.run)}`;
  }
  if (record.role !== position.role) return `written as ${record.role}, not ${position.role}`;
  if (record.sequence !== position.sequence) {
    return `sequence ${record.sequence} where ${position.sequence} follows`;
  }
  if (record.prev !== position.prev) return "prev isn't the digest of the line before";
  return null;
};
