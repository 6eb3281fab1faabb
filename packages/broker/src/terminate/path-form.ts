/**
 * Whether servers may read a path in more than one way, so that a rule about its text says nothing
 * about what it reaches: dot segments (RFC 3986 §5.2.4) in any spelling, path parameters behind
 * them, encoded or doubled separators, backslashes, and escapes of control bytes or of `%` itself.
 * Guard: only asked when a grant has rules, and then before any rule is.
 */
export const isPathAmbiguous = (path: string): boolean => {
  if (!/^\/[\x21-\x7e]*$/.test(path)) return true;
  if (/[\\#]|\/\/|%(?![0-9a-f]{2})|%(?:2f|5c|25|[01][0-9a-f]|7f|[89a-f][0-9a-f])/i.test(path)) {
    return true;
  }
  return path.split("/").some((segment) => {
    const [name = ""] = segment.replace(/%2e/gi, ".").replace(/%3b/gi, ";").split(";", 1);
    return name === "." || name === "..";
  });
};
