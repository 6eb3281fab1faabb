import type { JsonLimits } from "../json/parse.js";
import { parseCanonical } from "../json/parse-canonical.js";
import { type EvidenceRecord, MAX_RECORD_BYTES, readRecord } from "./record.js";

const LINE_LIMITS: Partial<JsonLimits> = { maxBytes: MAX_RECORD_BYTES, maxDepth: 6 };

/**
 * Reads one line of a log, without its LF.
 *
 * @throws JsonError, ShapeError
 */
export const readRecordLine = (line: Uint8Array): EvidenceRecord =>
  readRecord(parseCanonical(line, LINE_LIMITS));
