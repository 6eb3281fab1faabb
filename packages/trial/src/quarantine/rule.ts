import type { LinkProblem } from "../seal/names/link.js";
import type { PathProblem } from "../seal/names/path.js";

/** Why an entry was refused: it is left out and becomes a finding; the collection goes on. */
export type RefusalRule =
  | PathProblem
  | LinkProblem
  | "NOT_UTF8"
  | "NOT_PORTABLE"
  | "CASE_COLLISION"
  | "DUPLICATE"
  | "KIND_CONFLICT"
  | "HARD_LINK"
  | "DEVICE"
  | "SETUID"
  | "UNDECLARED"
  | "PAX_KEY";

/** Why a collection ended early: what was accepted until then stays, nothing after it is looked at. */
export type StopRule =
  | "FILES_LIMIT"
  | "BYTES_LIMIT"
  | "ENTRIES_LIMIT"
  | "STREAM_LIMIT"
  | "TAR_MALFORMED"
  | "TAR_TRUNCATED"
  | "TAR_TRAILING_DATA";
