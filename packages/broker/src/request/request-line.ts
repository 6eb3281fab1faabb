import type { Authority } from "../authority/authority.js";
import { parseAuthority, parseAuthorityOr } from "../authority/parse.js";
import type { Reason } from "../decision/reason.js";
import { isToken } from "./field.js";
import type { HttpVersion } from "./model.js";
import { readPath } from "./path.js";

export type RequestLine =
  | { readonly kind: "connect"; readonly authority: Authority; readonly version: HttpVersion }
  | {
      readonly kind: "absolute";
      readonly method: string;
      readonly authority: Authority;
      readonly path: string;
      readonly query: string | null;
      readonly version: HttpVersion;
    }
  | { readonly kind: "refused"; readonly reason: Reason };

const HTTP_PORT = 80;

/** TRACE would send the request's fields back; whatever isn't here has no known semantics. */
const METHODS: ReadonlySet<string> = new Set([
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
]);

const refused = (reason: Reason): RequestLine => ({ kind: "refused", reason });

/**
 * `method SP request-target SP HTTP-version` (RFC 9112 §3) with single spaces, of two kinds:
 * CONNECT with authority-form, other methods with absolute-form of the scheme `http`. Guard: the
 * authority that comes out is what is granted, looked up and dialled.
 */
export const readRequestLine = (line: string): RequestLine => {
  const [method = "", target = "", protocol, ...more] = line.split(" ");
  if (!isToken(method) || target === "" || more.length > 0) {
    return refused("REQUEST_SYNTAX");
  }
  // A line without a version is HTTP/0.9; `PRI * HTTP/2.0` opens HTTP/2.
  const version = VERSIONS.get(protocol);
  if (version === undefined) {
    return refused("REQUEST_VERSION");
  }
  return method === "CONNECT"
    ? readAuthorityForm(target, version)
    : readAbsoluteForm(method, target, version);
};

const VERSIONS: ReadonlyMap<string | undefined, HttpVersion> = new Map([
  ["HTTP/1.0", "1.0"],
  ["HTTP/1.1", "1.1"],
]);

const readAuthorityForm = (target: string, version: HttpVersion): RequestLine => {
  const result = parseAuthority(octetsAsText(target));
  return result.kind === "refused"
    ? result
    : { kind: "connect", authority: result.authority, version };
};

const readAbsoluteForm = (method: string, target: string, version: HttpVersion): RequestLine => {
  const [, rest] = /^http:\/\/(.*)$/is.exec(target) ?? [];
  if (rest === undefined || !METHODS.has(method)) {
    return refused("METHOD");
  }
  const end = rest.search(/[/?#]/);
  const result = parseAuthorityOr(octetsAsText(end === -1 ? rest : rest.slice(0, end)), HTTP_PORT);
  if (result.kind === "refused") {
    return result;
  }
  const tail = end === -1 ? "" : rest.slice(end);
  // RFC 9110 §4.2.3: an empty path is the path "/".
  const path = readPath(tail.startsWith("/") ? tail : `/${tail}`);
  return path === null
    ? refused("REQUEST_SYNTAX")
    : { kind: "absolute", method, authority: result.authority, ...path, version };
};

/** Only so that the refusal of a name beyond ASCII says what it was; none is ever accepted. */
const octetsAsText = (octets: string): string => Buffer.from(octets, "latin1").toString("utf8");
