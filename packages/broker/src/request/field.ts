import type { Field } from "./model.js";

/** RFC 9110 §5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

export const isToken = (text: string): boolean => TOKEN.test(text);

/**
 * A field line, or null. Guard: white space before the colon and folded lines are read in
 * different ways by different recipients (RFC 9112 §5.1, §5.2), so neither is a field here; nor is
 * a line without a name.
 */
export const readField = (line: string): Field | null => {
  const colon = line.indexOf(":");
  const name = line.slice(0, Math.max(colon, 0));
  return isToken(name)
    ? { name: name.toLowerCase(), value: trimWhiteSpace(line.slice(colon + 1)) }
    : null;
};

/** OWS of RFC 9110 §5.6.3: `trim` would also take what isn't white space there, such as NBSP. */
const trimWhiteSpace = (text: string): string => {
  let start = 0;
  let end = text.length;
  while (start < end && isWhiteSpace(text[start])) {
    start++;
  }
  while (end > start && isWhiteSpace(text[end - 1])) {
    end--;
  }
  return text.slice(start, end);
};

const isWhiteSpace = (character: string | undefined): boolean =>
  character === " " || character === "\t";

export const valuesOf = (fields: readonly Field[], name: string): readonly string[] =>
  fields.filter((field) => field.name === name).map((field) => field.value);

/** The members of a comma-separated field over all of its lines, in lower case (RFC 9110 §5.6.1). */
export const listOf = (fields: readonly Field[], name: string): readonly string[] =>
  valuesOf(fields, name)
    .flatMap((value) => value.split(","))
    .map((member) => trimWhiteSpace(member).toLowerCase())
    .filter((member) => member !== "");
