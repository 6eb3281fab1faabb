import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { ApiAnswer } from "../answer/index.js";
import type { ApiCall } from "../request/index.js";
import type { ApplianceIdentity } from "./ca.js";
import {
  HEADER_MS,
  IDLE_MS,
  KEEP_ALIVE_MS,
  MAX_BODY_BYTES,
  MAX_CONNECTIONS,
  MAX_HEADER_BYTES,
  MAX_REQUESTS_PER_CONNECTION,
  REQUEST_MS,
} from "./limits.js";

/** So that nobody takes it for what it stands in for. */
const SERVER = "Drydock stand-in (not pfSense)";

/** How often the time-outs are looked at. */
const CHECK_MS = 1_000;

export interface ServeOptions {
  readonly identity: Pick<ApplianceIdentity, "certificatePem" | "keyPem">;
  readonly random: (length: number) => Uint8Array;
  /** In milliseconds since 1970. */
  readonly clock: () => number;
  readonly answer: (call: ApiCall) => Promise<ApiAnswer | null>;
  /** Tests don't wait as long as clients may. */
  readonly patience?: Patience;
  /** Told of every request that was answered, without any value of it. */
  readonly onAnswered: (record: RequestRecord) => void;
}

interface Patience {
  readonly headerMs: number;
  readonly requestMs: number;
  readonly idleMs: number;
}

const PATIENCE: Patience = { headerMs: HEADER_MS, requestMs: REQUEST_MS, idleMs: IDLE_MS };

export interface RequestRecord {
  readonly method: string;
  /** Of an endpoint, or "(unknown)". */
  readonly path: string;
  readonly status: number;
  readonly responseId: string;
}

/** The appliance's HTTPS server, not listening yet. */
export const createApplianceServer = (options: ServeOptions): Server => {
  const { headerMs, requestMs, idleMs } = options.patience ?? PATIENCE;
  const server = createServer(
    {
      cert: options.identity.certificatePem,
      key: options.identity.keyPem,
      minVersion: "TLSv1.2",
      handshakeTimeout: headerMs,
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: headerMs,
      requestTimeout: requestMs,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: Math.min(CHECK_MS, headerMs),
    },
    (request, response) => {
      serve(request, response, options).catch((error: unknown) => {
        process.emitWarning(`the stand-in failed: ${String(error)}`);
        response.destroy();
      });
    },
  );
  server.maxConnections = MAX_CONNECTIONS;
  server.maxRequestsPerSocket = MAX_REQUESTS_PER_CONNECTION;
  server.setTimeout(idleMs);
  return server;
};

const serve = async (
  request: IncomingMessage,
  response: ServerResponse,
  options: ServeOptions,
): Promise<void> => {
  const body = await readBody(request);
  if (body === "aborted") return;
  const { method = "", url = "" } = request;
  const [path = "", ...rest] = url.split("?");
  const answer =
    body === "too-large"
      ? null
      : await options.answer({
          method,
          path,
          query: rest.join("?"),
          fields: fieldsOf(request),
          body,
          clientAddress: addressOf(request.socket.remoteAddress),
          serverAddress: addressOf(request.socket.localAddress),
          seconds: Math.floor(options.clock() / 1000),
          entropy: options.random(64),
        });
  if (response.destroyed) return;
  const page = answer === null ? PAGES[body === "too-large" ? 413 : 404] : null;
  if (page !== null) {
    send(request, response, page.status, { "content-type": "text/html" }, page.text);
  } else if (answer !== null) {
    const fields = { ...answer.fields, "content-type": "application/json" };
    send(request, response, answer.status, fields, `${JSON.stringify(answer.body)}\n`);
  }
  options.onAnswered({
    method,
    path: page === null ? path : "(unknown)",
    status: answer?.status ?? page?.status ?? 0,
    responseId: String(answer?.body["response_id"] ?? "(none)"),
  });
};

/** What the web server in front of the API says by itself. */
const PAGES = {
  404: { status: 404, text: "<html><h1>404 Not Found</h1>stand-in</html>\n" },
  413: { status: 413, text: "<html><h1>413 Request Entity Too Large</h1>stand-in</html>\n" },
} as const;

const send = (
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  fields: Readonly<Record<string, string>>,
  text: string,
): void => {
  // Whatever of the body wasn't read would be taken for the next request.
  const close = request.complete ? {} : { connection: "close" };
  response.writeHead(status, { server: SERVER, ...fields, ...close });
  response.end(text, () => {
    if (!request.complete) request.destroy();
  });
};

type Body = Uint8Array | "too-large" | "aborted";

const readBody = (request: IncomingMessage): Promise<Body> =>
  new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    if (Number(request.headers["content-length"]) > MAX_BODY_BYTES) return resolve("too-large");
    request.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length <= MAX_BODY_BYTES) chunks.push(chunk);
      else {
        request.pause();
        resolve("too-large");
      }
    });
    request.on("end", () => resolve(Buffer.concat(chunks)));
    request.on("close", () => resolve("aborted"));
    request.on("error", () => resolve("aborted"));
  });

const fieldsOf = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : (value ?? ""),
    ]),
  );

const addressOf = (text = ""): string => text.replace(/^::ffff:/, "");
