/** RFC 9110 §7.6.1: these are about one connection, and there are two here. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  "expect",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Name, value, name, value, as they came: order, spelling and repetition are the sender's. */
export type RawHeaders = readonly string[];

/** Without those of the connection, those that it names, and the given others. */
export const endToEnd = (raw: RawHeaders, ...others: readonly string[]): string[] => {
  const dropped = new Set([...HOP_BY_HOP, ...others]);
  for (const [name, value] of pairs(raw))
    if (name.toLowerCase() === "connection")
      for (const token of value.split(",")) dropped.add(token.trim().toLowerCase());
  return pairs(raw).flatMap(([name, value]) =>
    dropped.has(name.toLowerCase()) ? [] : [name, value],
  );
};

/** A request's: framed by its length, since it is held whole, and the last on its connection. */
export const requestHeaders = (raw: RawHeaders, method: string, length: number): string[] => {
  const hasLength = pairs(raw).some(([name]) =>
    ["content-length", "transfer-encoding"].includes(name.toLowerCase()),
  );
  const headers = endToEnd(raw, "content-length");
  if (hasLength || length > 0 || !["GET", "HEAD"].includes(method))
    headers.push("Content-Length", String(length));
  return [...headers, "Connection", "close"];
};

const pairs = (raw: RawHeaders): readonly (readonly [string, string])[] =>
  raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ""] as const] : []));
