import { VERDICTS } from "../gates/gate.js";
import { parseCanonical } from "../json/parse-canonical.js";
import type { KeyId } from "../keys/key.js";
import { digest, id, instant } from "../schema/common.js";
import { integer, literal, object, oneOf, type Shape, variants } from "../schema/reader.js";

export const JOURNAL_SCHEMA = "drydock.journal/v1";
const MAX_ENTRY_BYTES = 4096;

const common = {
  schema: literal(JOURNAL_SCHEMA),
  index: integer(0),
  prev: digest,
  wall: instant,
  run: id,
  manifest: digest,
  experiment: digest,
};

const entryReader = variants({
  /** Written at SEAL, before anything boots, so that no run can be tried in secret. */
  sealed: object({ kind: literal("sealed"), ...common }),
  verdict: object({
    kind: literal("verdict"),
    ...common,
    verdict: oneOf(VERDICTS),
    /** Digest of verdict.dsse.json's payload. */
    statement: digest,
  }),
});

export type JournalEntry = Shape<typeof entryReader>;
export const journalEntrySchema = entryReader.schema;

export const journalOrigin = (key: KeyId): string => `drydock.dev/journal/v1/${key.slice(7)}`;

/** @throws JsonError, ShapeError */
export const readJournalEntry = (line: Uint8Array): JournalEntry =>
  entryReader.read(parseCanonical(line, { maxBytes: MAX_ENTRY_BYTES, maxDepth: 2 }), "entry");
