import { sealError } from "../errors.js";

const LINE = /^([0-9a-f]{40}|[0-9a-f]{64})[\t ]([\x21-\x7e\x80-\u{10ffff}]{1,1024})$/u;
const MAX_REFS = 200_000;

/** Parses `git ls-remote` or a bundle's ref list: full ref name to object id. @throws REMOTE_FAILED */
export const parseRefLines = (lines: readonly string[]): Map<string, string> => {
  if (lines.length > MAX_REFS) throw sealError("SOURCE_LIMIT", `more than ${MAX_REFS} refs`);
  const refs = new Map<string, string>();
  for (const line of lines) {
    const match = LINE.exec(line);
    if (match === null) throw sealError("REMOTE_FAILED", "the ref list has a line that is no ref");
    refs.set(match[2] ?? "", match[1] ?? "");
  }
  return refs;
};
