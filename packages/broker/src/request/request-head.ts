import type { Reason } from "../decision/reason.js";
import { connectionIsHonest } from "./connection-field.js";
import { listOf, valuesOf } from "./field.js";
import { readFraming, type SaidFraming } from "./framing.js";
import { endToEndFields } from "./hop-by-hop.js";
import { hostAgrees } from "./host-field.js";
import type { AbsoluteRequest, ConnectRequest, Field, Framing } from "./model.js";
import type { RequestLine } from "./request-line.js";

type AcceptedLine = Exclude<RequestLine, { kind: "refused" }>;
type Head =
  | Omit<ConnectRequest, "rest">
  | Omit<AbsoluteRequest, "rest">
  | { readonly kind: "refused"; readonly reason: Reason };

const HTTP_PORT = 80;
/** Content in these has no defined meaning and a history of smuggling (RFC 9110 §9.3.1, §9.3.2). */
const WITHOUT_CONTENT: ReadonlySet<string> = new Set(["GET", "HEAD"]);

const refused = (reason: Reason): Head => ({ kind: "refused", reason });

/** What a whole head says, once each of its lines is well-formed. */
export const judgeRequestHead = (line: AcceptedLine, fields: readonly Field[]): Head => {
  const framing = readFraming(fields, line.version);
  if (framing === null || !connectionIsHonest(fields)) {
    return refused("FRAMING");
  }
  const hosts = valuesOf(fields, "host");
  const [host] = hosts;
  // RFC 9112 §3.2: more than one Host is no request.
  if (hosts.length > 1) {
    return refused("REQUEST_SYNTAX");
  }
  if (host !== undefined && !hostAgrees(host, line.authority, defaultPortOf(line))) {
    return refused("HOST_DIFFERENT");
  }
  return line.kind === "connect"
    ? judgeConnect(line, framing)
    : judgeAbsolute(line, fields, framing);
};

const defaultPortOf = (line: AcceptedLine): number | null =>
  line.kind === "connect" ? null : HTTP_PORT;

/**
 * RFC 9110 §9.3.6: a CONNECT has no content, so even `Content-Length: 0` is a sign that its sender
 * and a recipient may disagree about what follows. Its other fields were for the broker, which
 * uses none: Proxy-Authorization, Upgrade and Expect end here.
 */
const judgeConnect = (
  line: Extract<AcceptedLine, { kind: "connect" }>,
  framing: SaidFraming,
): Head => (framing.kind === "unsaid" ? line : refused("FRAMING"));

const judgeAbsolute = (
  line: Extract<AcceptedLine, { kind: "absolute" }>,
  fields: readonly Field[],
  framing: SaidFraming,
): Head => {
  // RFC 9112 §3.2: an HTTP/1.1 request without Host is none. A CONNECT names nothing but its host.
  if (line.version === "1.1" && valuesOf(fields, "host").length === 0) {
    return refused("REQUEST_SYNTAX");
  }
  const body: Framing = framing.kind === "unsaid" ? { kind: "none" } : framing;
  const hasContent = body.kind === "chunked" || (body.kind === "length" && body.bytes > 0);
  if (hasContent && WITHOUT_CONTENT.has(line.method)) {
    return refused("FRAMING");
  }
  // RFC 9110 §7.6.2: an intermediary would have to count it down, and answer at zero.
  if (line.method === "OPTIONS" && valuesOf(fields, "max-forwards").length > 0) {
    return refused("METHOD");
  }
  const expectations = listOf(fields, "expect");
  // RFC 9110 §10.1.1 knows this one; an HTTP/1.0 client doesn't wait for its answer.
  if (expectations.some((expectation) => expectation !== "100-continue")) {
    return refused("REQUEST_SYNTAX");
  }
  return {
    ...line,
    fields: endToEndFields(fields).filter(({ name }) => !OWNED_BY_WRITER.has(name)),
    body,
    expectContinue: expectations.length > 0 && hasContent && line.version === "1.1",
    keepAlive: line.version === "1.1" && !listOf(fields, "connection").includes("close"),
  };
};

const OWNED_BY_WRITER: ReadonlySet<string> = new Set(["host", "content-length", "expect"]);
