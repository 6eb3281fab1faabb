import {
  Agent,
  type ClientRequest,
  type IncomingMessage,
  request,
  type ServerResponse,
} from "node:http";
import { createServer, type Server } from "node:https";
import { type Duplex, pipeline } from "node:stream";
import type { TLSSocket } from "node:tls";
import type { Reason } from "../decision/index.js";
import type { Fields } from "../secret/index.js";
import type { ServerIdentity } from "./ca.js";
import { isReadable, scanBody, scanFields, watchBody } from "./inspect.js";
import type { Refusal } from "./refusal.js";
import { fieldsOf, responseFields, valuesOf } from "./request-fields.js";
import { authorityText, type Served } from "./serve.js";
import type { Tunnel } from "./tunnel.js";

/** apt keeps ten requests in a pipeline, and nobody more. */
const MAX_PIPELINED = 16;

/**
 * Serves HTTP/1.1 to the client and asks the upstream in HTTP/1.1. Each message is parsed whole and
 * written anew, so that both sides see the same message boundaries (RFC 9112 §11.2).
 */
export const serveHttp1 = (
  tunnel: Tunnel,
  identity: ServerIdentity,
  upstream: TLSSocket,
): Served => {
  const { limits, timers } = tunnel.options;
  const agent = oneConnection(upstream);
  let pending = 0;
  let cancelHeadTimer: (() => void) | null = null;
  const headArrived = (): void => {
    cancelHeadTimer?.();
    cancelHeadTimer = null;
  };

  const server: Server = createServer({
    cert: identity.certificatePem,
    key: identity.keyPem,
    minVersion: "TLSv1.2",
    ALPNProtocols: ["http/1.1"],
    maxHeaderSize: limits.maxHeaderBytes,
    insecureHTTPParser: false,
    requireHostHeader: false,
    // The tunnel's own limits end it; Node's timers run on a clock that isn't ours.
    keepAliveTimeout: 0,
    requestTimeout: 0,
    headersTimeout: 0,
  });
  server.maxHeadersCount = 0;

  const relay = (incoming: IncomingMessage, response: ServerResponse, expects: boolean): void => {
    headArrived();
    response.sendDate = false;
    incoming.on("error", () => tunnel.end("CLIENT_RESET"));
    pending += 1;
    response.once("close", () => {
      pending -= 1;
      if (!response.writableFinished) tunnel.end("CLIENT_RESET");
      else if (upstream.destroyed && pending === 0) tunnel.finish("CLOSED");
    });
    if (pending > MAX_PIPELINED) tunnel.end("CAPACITY");
    if (tunnel.isEnded()) return;
    const decided = decide(incoming);
    if ("status" in decided) {
      answer(response, decided);
      return;
    }
    // RFC 9110 §10.1.1: who may answer instead of the origin server may also say 100.
    if (expects) response.writeContinue();
    ask(incoming, response, decided);
  };

  /** The fields to send on, or the refusal. */
  const decide = (incoming: IncomingMessage): Fields | Refusal => {
    if (incoming.httpVersion !== "1.1") return tunnel.refuse("REQUEST_VERSION");
    const fields = fieldsOf(incoming.rawHeaders);
    const framing = framingOf(incoming, fields);
    if (framing === null) return tunnel.refuse("FRAMING");
    const admission = tunnel.admit({
      method: incoming.method ?? "",
      target: incoming.url ?? "",
      serverName: serverNameOf(incoming.socket),
      pseudo: null,
      fields,
    });
    return "status" in admission
      ? admission
      : [["host", authorityText(tunnel.options.authority)], ...admission.fields, ...framing];
  };

  const ask = (incoming: IncomingMessage, response: ServerResponse, fields: Fields): void => {
    let outgoing: ClientRequest;
    try {
      outgoing = request({
        agent,
        method: incoming.method ?? "",
        path: incoming.url ?? "",
        headers: fields.flat(),
        setHost: false,
        maxHeaderSize: limits.maxHeaderBytes,
        insecureHTTPParser: false,
      });
    } catch {
      // Node refuses to write a field or a path that its own parser had accepted.
      answer(response, tunnel.refuse("REQUEST_SYNTAX"));
      return;
    }
    outgoing.on("response", (answered) => hand(answered, response));
    // 101 without having been asked for.
    outgoing.on("upgrade", () => tunnel.end("RESPONSE_SYNTAX"));
    outgoing.on("error", (error: NodeJS.ErrnoException) => {
      if (response.headersSent) tunnel.end("UPSTREAM_RESET");
      if (!tunnel.isEnded()) answer(response, tunnel.refuse(problemOf(error)));
    });
    pipeline(incoming, watchBody(tunnel.options.inspection, tunnel.end), outgoing, () => undefined);
  };

  const hand = (answered: IncomingMessage, response: ServerResponse): void => {
    const { inspection } = tunnel.options;
    const raw = fieldsOf(answered.rawHeaders);
    const fields = responseFields(raw);
    const problem = problemOfHead(raw, isReadable(inspection, fields));
    if (problem !== null) {
      answered.destroy();
      answer(response, tunnel.refuse(problem));
      return;
    }
    if (!scanFields(inspection, fields, tunnel.end)) return;
    response.writeHead(answered.statusCode ?? 502, fields.flat());
    // An event stream's first event may be long in coming.
    response.flushHeaders();
    // Before the pipeline closes the client's side, which would look like its doing.
    answered.once("error", () => tunnel.end("UPSTREAM_RESET"));
    // Trailers are dropped, as RFC 9110 §6.5.1 allows: HTTP/1.1 clients rarely read any.
    pipeline(answered, scanBody(inspection, tunnel.end), response, () => undefined);
  };

  server.on("request", (incoming, response) => relay(incoming, response, false));
  server.on("checkContinue", (incoming, response) => relay(incoming, response, true));
  server.on("checkExpectation", (_incoming, response) =>
    answer(response, tunnel.refuse("REQUEST_SYNTAX")),
  );
  const refuseRaw = (socket: Duplex, refused: Refusal): void => {
    headArrived();
    socket.on("error", () => tunnel.end("CLIENT_RESET"));
    socket.end(rawAnswer(refused), () => tunnel.finish("CLOSED"));
  };
  server.on("upgrade", (_incoming, socket) => refuseRaw(socket, tunnel.refuse("UPGRADE")));
  server.on("connect", (_incoming, socket) => refuseRaw(socket, tunnel.refuse("UPGRADE")));
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    // A server hears of a certificate that the client refuses after its own handshake's end.
    if (error.code?.startsWith("ERR_SSL_") === true) tunnel.end("CLIENT_TLS");
    if (!socket.writable || pending > 0 || error.code === "ECONNRESET") {
      tunnel.end("CLIENT_RESET");
      return;
    }
    const reason = error.code === "HPE_HEADER_OVERFLOW" ? "HEADER_TOO_LARGE" : "REQUEST_SYNTAX";
    refuseRaw(socket, tunnel.refuse(reason));
  });
  upstream.on("close", () => {
    if (pending === 0) tunnel.finish("CLOSED");
  });

  return {
    server,
    isIdle: () => pending === 0,
    heard() {
      if (pending > 0 || cancelHeadTimer !== null) return;
      cancelHeadTimer = timers.after(limits.headerTimeoutMs, () => tunnel.end("HEADER_TIMEOUT"));
    },
    close() {
      headArrived();
      agent.destroy();
      server.close();
    },
  };
};

/** The one connection that was checked and verified, and never another. */
const oneConnection = (upstream: TLSSocket): Agent => {
  let taken = false;
  const agent = new Agent({ keepAlive: true, maxSockets: 1, maxFreeSockets: 1 });
  agent.createConnection = (_options, callback) => {
    if (!taken) {
      taken = true;
      return upstream;
    }
    callback?.(new Error("the upstream closed its connection"), upstream);
    return undefined;
  };
  return agent;
};

/** The fields that frame the body anew; null when RFC 9112 §6.3 leaves room for two readings. */
const framingOf = (incoming: IncomingMessage, fields: Fields): Fields | null => {
  const coding = valuesOf(fields, "transfer-encoding");
  const length = valuesOf(fields, "content-length");
  if (coding.length > 0) {
    const plain = coding.length === 1 && coding[0]?.toLowerCase() === "chunked";
    return plain && length.length === 0 ? [["transfer-encoding", "chunked"]] : null;
  }
  if (length.length > 0) return length.length === 1 ? [] : null;
  const bodiless = ["GET", "HEAD", "DELETE", "OPTIONS"].includes(incoming.method ?? "");
  return bodiless ? [] : [["content-length", "0"]];
};

const serverNameOf = (socket: unknown): string | null => {
  const name = (socket as Partial<TLSSocket & { servername: string | false }>).servername;
  return typeof name === "string" ? name : null;
};

/** A coding that isn't taken off with the framing would hide where the message ends. */
const problemOfHead = (fields: Fields, readable: boolean): Reason | null => {
  const codings = valuesOf(fields, "transfer-encoding");
  if (codings.some((value) => value.toLowerCase() !== "chunked")) return "RESPONSE_SYNTAX";
  return readable ? null : "RESPONSE_ENCODED";
};

const problemOf = (error: NodeJS.ErrnoException): Reason => {
  if (error.code === "HPE_HEADER_OVERFLOW") return "RESPONSE_TOO_LARGE";
  return error.code?.startsWith("HPE_") ? "RESPONSE_SYNTAX" : "UPSTREAM_RESET";
};

/** Answers and closes: what follows of an unread body mustn't be taken for a request. */
const answer = (response: ServerResponse, { status, fields, body }: Refusal): void => {
  response.writeHead(status, [...fields, ["connection", "close"]].flat());
  response.end(body);
};

const rawAnswer = ({ status, fields, body }: Refusal): Uint8Array => {
  const lines = [...fields, ["connection", "close"]].map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} \r\n${lines.join("")}\r\n`), body]);
};
