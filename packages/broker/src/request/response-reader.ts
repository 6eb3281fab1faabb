import { connectionIsHonest } from "./connection-field.js";
import { readField } from "./field.js";
import { readFraming, type SaidFraming } from "./framing.js";
import { createHeadLines } from "./head-lines.js";
import { endToEndFields } from "./hop-by-hop.js";
import type { Field, Framing, HeadLimits, ResponseStep } from "./model.js";
import { readStatusLine, type StatusLine } from "./status-line.js";

/** An upstream that sends more 1xx responses than this before its response will send none. */
const MAX_INTERIM = 8;

export interface ResponseReader {
  /** The next bytes from the upstream, or the `rest` of an interim response. */
  push(bytes: Uint8Array): ResponseStep;
}

const REFUSED: ResponseStep = { kind: "refused", reason: "RESPONSE_SYNTAX" };

/** Reads the head of the response to one request of this method, as strictly as a request's. */
export const createResponseReader = (limits: HeadLimits, method: string): ResponseReader => {
  let head = startHead(limits);
  let interim = 0;
  let done = false;

  const step = (bytes: Uint8Array): ResponseStep => {
    const scanned = head.scan(bytes);
    switch (scanned.kind) {
      case "more":
        return scanned;
      case "too-large":
        return { kind: "refused", reason: "RESPONSE_TOO_LARGE" };
      case "malformed":
      case "stopped":
        return REFUSED;
      case "end": {
        const { line, fields } = head.read();
        const judged = line === undefined ? REFUSED : judgeResponse(line, fields, method);
        if (judged.kind === "interim") {
          head = startHead(limits);
          interim++;
          return interim > MAX_INTERIM ? REFUSED : { ...judged, rest: scanned.rest };
        }
        return judged.kind === "response" ? { ...judged, rest: scanned.rest } : judged;
      }
    }
  };

  return {
    push: (bytes) => {
      if (done) {
        throw new RangeError("A response reader reads one response's head");
      }
      const result = step(bytes);
      done = result.kind !== "more" && result.kind !== "interim";
      return result;
    },
  };
};

const startHead = (limits: HeadLimits) => {
  let line: StatusLine | undefined;
  const fields: Field[] = [];
  const onLine = (text: string): boolean => {
    if (line === undefined) {
      line = readStatusLine(text) ?? undefined;
      return line !== undefined;
    }
    const field = readField(text);
    if (field === null) {
      return false;
    }
    fields.push(field);
    return true;
  };
  return {
    scan: createHeadLines(limits.maxHeaderBytes, onLine),
    read: () => ({ line, fields }),
  };
};

const NOTHING = new Uint8Array(0);

const judgeResponse = (
  line: StatusLine,
  fields: readonly Field[],
  method: string,
): ResponseStep => {
  const said = readFraming(fields, line.version);
  // 101 answers an Upgrade, and none is ever sent.
  if (said === null || line.status === 101 || !connectionIsHonest(fields)) {
    return REFUSED;
  }
  const kept = endToEndFields(fields);
  const withoutLength = kept.filter(({ name }) => name !== "content-length");
  const { status, phrase, version } = line;
  if (status < 200) {
    return isBare(said)
      ? { kind: "interim", status, phrase, fields: withoutLength, rest: NOTHING }
      : REFUSED;
  }
  const response = { kind: "response", version, status, phrase, rest: NOTHING } as const;
  if (status === 204) {
    return isBare(said) ? { ...response, fields: withoutLength, body: { kind: "none" } } : REFUSED;
  }
  // Here Content-Length is that of the response to another request, and frames nothing.
  if (method === "HEAD" || status === 304) {
    return { ...response, fields: kept, body: { kind: "none" } };
  }
  return { ...response, fields: withoutLength, body: contentOf(said) };
};

/**
 * RFC 9110 §8.6 and RFC 9112 §6.1 forbid both fields in 1xx and 204: with content announced, a
 * recipient that goes by the fields waits for, or takes, bytes that one that goes by the status
 * gives to the next response.
 */
const isBare = (said: SaidFraming): boolean =>
  said.kind === "unsaid" || (said.kind === "length" && said.bytes === 0);

const contentOf = (said: SaidFraming): Framing =>
  said.kind === "unsaid" ? { kind: "until-close" } : said;
