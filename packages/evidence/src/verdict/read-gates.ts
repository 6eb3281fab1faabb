import { openRunDirectory } from "../run/directory.js";
import { VERDICT_FILE } from "../run/layout.js";
import { MAX_ENVELOPE_BYTES, readUnverified } from "./dsse.js";
import { parseStatement, type VerdictPredicate } from "./statement.js";

/**
 * The gates of a run's verdict. Nothing is verified here: this is for whoever wonders why their own
 * run failed, a moment after it was signed.
 *
 * @returns nothing of a run without a verdict
 * @throws DrydockError RUN_DIRECTORY, FILE_UNSAFE, DSSE_ENCODING; JsonError, ShapeError
 */
export const readGates = (path: string): VerdictPredicate["gates"] => {
  const bytes = openRunDirectory(path).read(VERDICT_FILE, MAX_ENVELOPE_BYTES);
  return bytes === null ? [] : parseStatement(readUnverified(bytes)).predicate.gates;
};
