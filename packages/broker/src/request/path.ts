/** RFC 3986 §3.3 and §3.4: what path and query consist of. */
const PATH = /^\/(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*$/;
const QUERY = /^(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*$/;

export interface Path {
  readonly path: string;
  readonly query: string | null;
}

/**
 * Path and query of a request, or null. Guard: rules compare paths without decoding, so a path
 * that an upstream could resolve into another one, by a dot segment or by one that shows after
 * `%2e`, `%2f` or `%5c` are decoded (RFC 3986 §6.2.2), is no path here.
 */
export const readPath = (text: string): Path | null => {
  const mark = text.indexOf("?");
  const path = mark === -1 ? text : text.slice(0, mark);
  const query = mark === -1 ? null : text.slice(mark + 1);
  if (!PATH.test(path) || (query !== null && !QUERY.test(query)) || hasDotSegment(path)) {
    return null;
  }
  return { path, query };
};

const hasDotSegment = (path: string): boolean =>
  path
    .replace(/%2e/gi, ".")
    .replace(/%(?:2f|5c)/gi, "/")
    .split("/")
    // Some servers cut path parameters off a segment before they resolve it.
    .some((segment) => /^\.\.?(?:;|$)/.test(segment));
