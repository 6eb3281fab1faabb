import type { Fields } from "../secret/index.js";

/**
 * Fields of one connection, not of the message (RFC 9110 §7.6.1). What is sent on has framing of
 * its own, so that no two parsers can disagree about where a message ends.
 */
const OF_THE_CONNECTION: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "http2-settings",
]);

/** Answered here, or said by the pseudo fields and the request line. */
const OF_THE_REQUEST: ReadonlySet<string> = new Set(["expect", "host"]);

/**
 * Announces another way to the same origin (RFC 7838, RFC 9460): the guest has one door only, and
 * a client that believes it would be refused there.
 */
const OF_THE_RESPONSE: ReadonlySet<string> = new Set(["alt-svc"]);

/** What a field named by Connection says is for this hop as well. */
const nominated = (fields: Fields): ReadonlySet<string> =>
  new Set(
    fields
      .filter(([name]) => name === "connection")
      .flatMap(([, value]) => value.toLowerCase().split(","))
      .map((name) => name.trim()),
  );

const without = (fields: Fields, ...sets: readonly ReadonlySet<string>[]): Fields =>
  fields.filter(([name]) => sets.every((set) => !set.has(name)));

/**
 * A request's fields as they go on. Where an authority gets secrets, its responses have to be
 * readable: no content coding, and no ranges, of which each could hold a part of a secret.
 */
export const requestFields = (fields: Fields, readable: boolean): Fields => {
  const kept = without(fields, OF_THE_CONNECTION, OF_THE_REQUEST, nominated(fields));
  if (!readable) return kept;
  return [
    ...without(kept, new Set(["accept-encoding", "range", "if-range"])),
    ["accept-encoding", "identity"],
  ];
};

export const responseFields = (fields: Fields): Fields =>
  without(fields, OF_THE_CONNECTION, OF_THE_RESPONSE, nominated(fields));

/** Trailers (RFC 9110 §6.5.1) that say something about framing, routing or credentials are dropped. */
export const trailerFields = (fields: Fields): Fields =>
  without(
    responseFields(fields),
    new Set([
      "authorization",
      "content-encoding",
      "content-length",
      "content-range",
      "content-type",
      "cookie",
      "host",
      "set-cookie",
    ]),
  ).filter(([name]) => !name.startsWith(":"));

/** A list of names and values, alternating, as Node gives it. */
export const fieldsOf = (raw: readonly string[]): Fields => {
  const fields: [string, string][] = [];
  for (let index = 0; index + 1 < raw.length; index += 2) {
    fields.push([(raw[index] ?? "").toLowerCase(), raw[index + 1] ?? ""]);
  }
  return fields;
};

export const valuesOf = (fields: Fields, name: string): readonly string[] =>
  fields.filter(([other]) => other === name).map(([, value]) => value);
