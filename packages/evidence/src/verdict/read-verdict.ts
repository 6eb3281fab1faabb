import { openRunDirectory } from "../run/directory.js";
import { VERDICT_FILE } from "../run/layout.js";
import { MAX_ENVELOPE_BYTES, readUnverified } from "./dsse.js";
import { parseStatement, type VerdictPredicate } from "./statement.js";

/**
 * What a verdict says that nobody has verified: for a list of what there is.
 *
 * @returns null for evidence without a verdict
 * @throws DrydockError RUN_DIRECTORY, FILE_UNSAFE, DSSE_ENCODING; JsonError, ShapeError
 */
export const readVerdict = (path: string): VerdictPredicate["verdict"] | null => {
  const bytes = openRunDirectory(path).read(VERDICT_FILE, MAX_ENVELOPE_BYTES);
  return bytes === null ? null : parseStatement(readUnverified(bytes)).predicate.verdict;
};
