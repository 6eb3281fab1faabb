import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  createSecureServer,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
  sensitiveHeaders,
} from "node:http2";
import type { TLSSocket } from "node:tls";
import { formatAuthority } from "../authority/authority.js";
import type { Fields } from "../secret/index.js";
import type { ServerIdentity } from "./ca.js";
import { carry } from "./carry.js";
import { isReadable, scanBody, scanFields, watchBody } from "./inspect.js";
import type { Refusal } from "./refusal.js";
import { fieldsOf, responseFields, trailerFields, valuesOf } from "./request-fields.js";
import { authorityText, type Served } from "./serve.js";
import type { Tunnel } from "./tunnel.js";

const { NGHTTP2_CANCEL, NGHTTP2_INTERNAL_ERROR, NGHTTP2_FLAG_END_STREAM } = constants;

/** RFC 9113 §6.5.2 recommends no less than 100; browsers and curl use no more. */
const MAX_STREAMS = 100;
/**
 * Streams that a client may take back beyond those it let finish: a client that only opens and
 * resets (CVE-2023-44487) costs the upstream its work and itself nothing.
 */
const MAX_RESETS = 200;
/** Headers in one head; RFC 9113 §10.5.1 leaves the number open. */
const MAX_PAIRS = 256;

/**
 * Serves HTTP/2 to the client and asks the upstream in HTTP/2, each stream by a stream of its own
 * on the one connection. No push, no extended CONNECT, and no frame of one side reaches the other.
 */
export const serveHttp2 = (
  tunnel: Tunnel,
  identity: ServerIdentity,
  upstream: TLSSocket,
): Served => {
  const { authority, limits, inspection } = tunnel.options;
  const limitsOfHeads = {
    maxHeaderListPairs: MAX_PAIRS,
    maxSessionInvalidFrames: 50,
    maxSessionRejectedStreams: 50,
  };
  const server = createSecureServer({
    cert: identity.certificatePem,
    key: identity.keyPem,
    minVersion: "TLSv1.2",
    allowHTTP1: false,
    ...limitsOfHeads,
    settings: {
      enablePush: false,
      enableConnectProtocol: false,
      maxConcurrentStreams: MAX_STREAMS,
      maxHeaderListSize: limits.maxHeaderBytes,
    },
  });
  const towards: ClientHttp2Session = connect(`https://${formatAuthority(authority)}`, {
    createConnection: () => upstream,
    ...limitsOfHeads,
    settings: { enablePush: false, maxHeaderListSize: limits.maxHeaderBytes },
  });
  let client: ServerHttp2Session | null = null;
  let serverName: string | null = null;
  let open = 0;
  let resets = 0;

  const relay = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, raw: Fields): void => {
    const decided = decide(headers, raw);
    if (isRefusal(decided)) {
      answer(stream, decided);
      return;
    }
    const bodiless = stream.endAfterHeaders;
    const asked = ask(decided, bodiless);
    if (isRefusal(asked)) {
      answer(stream, asked);
      return;
    }
    stream.once("close", () => asked.close(NGHTTP2_CANCEL));
    asked.on("error", () => {
      if (stream.headersSent) stream.close(NGHTTP2_INTERNAL_ERROR);
    });
    asked.once("close", () => {
      if (stream.closed || stream.destroyed) return;
      if (!stream.headersSent) answer(stream, tunnel.refuse("UPSTREAM_RESET"));
      else if (asked.rstCode !== 0) stream.close(asked.rstCode);
    });
    asked.once(
      "response",
      (_headers: IncomingHttpHeaders, flags: number, rawHeaders: readonly string[]) =>
        hand(asked, stream, fieldsOf(rawHeaders), (flags & NGHTTP2_FLAG_END_STREAM) !== 0),
    );
    if (!bodiless) carry(stream, watchBody(inspection, tunnel.end), asked);
  };

  /** The head to send on, or the refusal. */
  const decide = (headers: IncomingHttpHeaders, raw: Fields): OutgoingHttpHeaders | Refusal => {
    const method = text(headers[":method"]);
    // RFC 8441: a CONNECT with a protocol is a tunnel as well.
    const connects = method === "CONNECT" || headers[":protocol"] !== undefined;
    if (headers[":scheme"] !== "https" && !connects) return tunnel.refuse("REQUEST_SYNTAX");
    const admission = tunnel.admit({
      method: connects ? "CONNECT" : method,
      target: text(headers[":path"]),
      serverName,
      // RFC 9113 §8.3.1: a client may say it by Host alone, and Node's does.
      pseudo: headers[":authority"] === undefined ? null : text(headers[":authority"]),
      fields: raw.filter(([name]) => !name.startsWith(":")),
    });
    if ("status" in admission) return admission;
    return {
      ":method": method,
      ":scheme": "https",
      ":authority": authorityText(authority),
      ":path": text(headers[":path"]),
      ...headersOf(admission.fields),
      // RFC 9113 §8.2.2 allows this one value, which gRPC demands.
      ...(valuesOf(raw, "te").join() === "trailers" ? { te: "trailers" } : {}),
      // Kept out of compression state (RFC 7541 §7.1.3).
      [sensitiveHeaders]: inspection.here.flatMap((secret) => secret.headers),
    };
  };

  const ask = (head: OutgoingHttpHeaders, endStream: boolean): ClientHttp2Stream | Refusal => {
    // The upstream may have said goodbye between two streams.
    if (towards.closed || towards.destroyed) return tunnel.refuse("UPSTREAM_RESET");
    try {
      return towards.request(head, { endStream });
    } catch {
      // Node refuses what RFC 9113 §8.2 does, such as a field twice that may be there once.
      return tunnel.refuse("REQUEST_SYNTAX");
    }
  };

  const hand = (
    asked: ClientHttp2Stream,
    stream: ServerHttp2Stream,
    raw: Fields,
    endStream: boolean,
  ): void => {
    if (stream.destroyed || stream.headersSent) return;
    const fields = responseFields(raw.filter(([name]) => !name.startsWith(":")));
    if (!isReadable(inspection, fields)) {
      answer(stream, tunnel.refuse("RESPONSE_ENCODED"));
      asked.close(NGHTTP2_CANCEL);
      return;
    }
    if (!scanFields(inspection, fields, tunnel.end)) return;
    let trailers: Fields = [];
    asked.once(
      "trailers",
      (_headers: IncomingHttpHeaders, _flags: number, rawTrailers: readonly string[]) => {
        trailers = trailerFields(fieldsOf(rawTrailers));
      },
    );
    stream.once("wantTrailers", () => {
      if (!scanFields(inspection, trailers, tunnel.end)) return;
      // gRPC's status is a trailer (RFC 9110 §6.5), so unlike HTTP/1.1's these go on.
      if (trailers.length > 0) stream.sendTrailers(headersOf(trailers));
      else stream.close();
    });
    try {
      stream.respond(
        { ":status": valuesOf(raw, ":status")[0] ?? "502", ...headersOf(fields) },
        { endStream, waitForTrailers: !endStream },
      );
    } catch {
      // The same, of a response.
      answer(stream, tunnel.refuse("RESPONSE_SYNTAX"));
      asked.close(NGHTTP2_CANCEL);
      return;
    }
    if (endStream) asked.resume();
    else carry(asked, scanBody(inspection, tunnel.end), stream);
  };

  server.on("secureConnection", (socket: TLSSocket & { readonly servername?: unknown }) => {
    serverName = typeof socket.servername === "string" ? socket.servername : null;
  });
  server.on("session", (session) => {
    client = session;
    session.on("error", () => tunnel.end(open === 0 ? "CLOSED" : "CLIENT_RESET"));
    session.on("close", () => tunnel.finish("CLOSED"));
  });
  server.on(
    "stream",
    (
      stream: ServerHttp2Stream,
      headers: IncomingHttpHeaders,
      _flags: number,
      rawHeaders: readonly string[],
    ) => {
      open += 1;
      stream.on("error", () => undefined);
      stream.once("close", () => {
        open -= 1;
        resets = Math.max(
          0,
          resets + (stream.aborted || stream.rstCode === NGHTTP2_CANCEL ? 1 : -1),
        );
        if (resets > MAX_RESETS) tunnel.end("CAPACITY");
      });
      if (!stream.closed && !stream.destroyed) relay(stream, headers, fieldsOf(rawHeaders));
    },
  );
  server.on("unknownProtocol", () => tunnel.end("CLIENT_TLS"));
  // What the upstream has begun it may finish; what is new needs a connection of its own.
  towards.on("goaway", () => client?.close());
  towards.on("error", () => tunnel.end("UPSTREAM_RESET"));
  towards.on("close", () => {
    if (open > 0) tunnel.end("UPSTREAM_RESET");
    else tunnel.finish("CLOSED");
  });

  return {
    server,
    isIdle: () => open === 0,
    // A client may be silent between streams, and PING or SETTINGS frames are no request's start.
    heard: () => undefined,
    close() {
      client?.destroy();
      towards.destroy();
      server.close();
    },
  };
};

const isRefusal = (value: object): value is Refusal => "status" in value && "body" in value;

const text = (value: string | string[] | undefined): string =>
  typeof value === "string" ? value : "";

/** Node takes repeated fields as a list. */
const headersOf = (fields: Fields): Record<string, string | string[]> => {
  const headers: Record<string, string | string[]> = Object.create(null);
  for (const [name, value] of fields) {
    const known = headers[name];
    headers[name] = known === undefined ? value : [known, value].flat();
  }
  return headers;
};

const answer = (stream: ServerHttp2Stream, { status, fields, body }: Refusal): void => {
  if (stream.destroyed || stream.headersSent) return;
  stream.respond({ ":status": status, ...headersOf(fields) });
  stream.end(body);
  // RFC 9113 §8.1: a response may come before its request is complete, which is read no further.
  stream.once("finish", () => stream.close());
};
