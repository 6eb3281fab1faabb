import type { Reason } from "../decision/index.js";
import {
  type AbsoluteRequest,
  type BodyReader,
  type BodyStep,
  createBodyReader,
  createResponseReader,
  encodeChunk,
  type Framing,
  type HeadLimits,
  LAST_CHUNK,
  type ResponseHead,
  writeRequestHead,
  writeResponseHead,
} from "../request/index.js";
import type { Gate, GateStep } from "../tunnel/index.js";

export interface ExchangeGate extends Gate {
  /** After it is done: whether the client may send another request, and what it has sent of it. */
  next(): { readonly keepAlive: boolean; readonly rest: Uint8Array };
}

const CONTINUE = Buffer.from("HTTP/1.1 100 Continue\r\n\r\n", "latin1");
const NONE: readonly Uint8Array[] = [];

/**
 * One request and its response. Both are read as strictly as the head was and written anew, so
 * that neither side sees framing that the broker and it could read in two ways.
 */
export const createExchangeGate = (request: AbsoluteRequest, limits: HeadLimits): ExchangeGate => {
  const response = createResponseReader(limits, request.method);
  const requestBody = createBodyReader(request.body);
  let responseBody: { readonly reader: BodyReader; readonly framing: Framing } | null = null;
  let sent = false;
  let keepAlive = false;
  let rest: Uint8Array = new Uint8Array(0);

  const pass = (toUpstream: readonly Uint8Array[], toClient: readonly Uint8Array[]): GateStep => ({
    kind: "pass",
    toUpstream,
    toClient,
    read: sent ? "upstream" : "both",
  });

  const fromClient = (bytes: Uint8Array): readonly Uint8Array[] | Reason => {
    const step = requestBody.push(bytes);
    if (step.kind === "refused") return step.reason;
    if (step.kind === "end") {
      sent = true;
      rest = step.rest;
    }
    return encode(step, request.body);
  };

  const start = (head: ResponseHead): Uint8Array => {
    const framing = framingFor(request, head.body);
    // A client whose request isn't through would send its rest where the next one is expected.
    keepAlive = request.keepAlive && sent && framing.kind !== "until-close";
    responseBody = { reader: createBodyReader(head.body), framing };
    return writeResponseHead({ ...head, body: framing }, keepAlive ? "keep-alive" : "close");
  };

  const fromUpstream = (bytes: Uint8Array): GateStep => {
    const toClient: Uint8Array[] = [];
    let left = bytes;
    while (responseBody === null) {
      const step = response.push(left);
      if (step.kind === "refused") return step;
      if (step.kind === "more") return pass(NONE, NONE);
      if (step.kind === "response") toClient.push(start(step));
      left = step.rest;
    }
    const { reader, framing } = responseBody;
    const step = reader.push(left);
    if (step.kind === "refused") return step;
    toClient.push(...encode(step, framing));
    return step.kind === "end" ? { kind: "done", toClient } : pass(NONE, toClient);
  };

  return {
    start: () => {
      const body = fromClient(request.rest);
      if (typeof body === "string") return { kind: "refused", reason: body };
      const waits = request.expectContinue && !sent;
      return pass([writeRequestHead(request), ...body], waits ? [CONTINUE] : NONE);
    },
    fromClient: (bytes) => {
      if (sent) {
        // It was under way when reading stopped.
        rest = Buffer.concat([rest, bytes]);
        return pass(NONE, NONE);
      }
      const body = fromClient(bytes);
      return typeof body === "string" ? { kind: "refused", reason: body } : pass(body, NONE);
    },
    fromUpstream,
    ended: (side) => {
      if (side === "client") {
        return sent ? pass(NONE, NONE) : { kind: "refused", reason: "CLIENT_RESET" };
      }
      const step = responseBody?.reader.finish();
      return step?.kind === "end"
        ? { kind: "done", toClient: encode(step, responseBody?.framing ?? request.body) }
        : { kind: "refused", reason: "UPSTREAM_RESET" };
    },
    next: () => ({ keepAlive, rest }),
  };
};

/** RFC 9112 §7.1: HTTP/1.0 has no chunks. */
const framingFor = ({ version }: AbsoluteRequest, framing: Framing): Framing =>
  version === "1.0" && framing.kind === "chunked" ? { kind: "until-close" } : framing;

const encode = (step: Exclude<BodyStep, { kind: "refused" }>, framing: Framing) => {
  if (framing.kind !== "chunked") return step.data;
  const chunks = step.data.flatMap(encodeChunk);
  return step.kind === "end" ? [...chunks, LAST_CHUNK] : chunks;
};
