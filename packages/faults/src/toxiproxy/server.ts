import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { DrydockError } from "@drydock/evidence";
import { isLoopback } from "../address/loopback.js";
import { type Address, listenOn } from "../stream/listen.js";
import { systemTimers } from "../timers.js";
import type { Reach } from "./address.js";
import { Api, type ApiAnswer } from "./api.js";
import { API_CONNECTIONS, API_RECEIVE_MS, MAX_BODY_BYTES } from "./limits.js";
import { Proxies } from "./proxies.js";
import type { ProxyInput } from "./schema.js";

export interface ToxiproxyOptions {
  /** Of the API. */
  readonly listen: Address;
  /** Of the proxies' listeners and the API, and of their upstreams; loopback only unless asked. */
  readonly reach: Reach;
  readonly seed: number;
  /** Proxies that are there from the start. */
  readonly populate: readonly ProxyInput[];
}

export interface Toxiproxy {
  readonly address: Address;
  readonly proxies: number;
  /** Ends every connection. */
  close(): Promise<void>;
}

/**
 * A server that speaks Toxiproxy's HTTP API.
 *
 * @throws DrydockError LISTEN_NOT_LOOPBACK, LISTEN_FAILED, PROXIES_INVALID
 */
export const startToxiproxy = async (options: ToxiproxyOptions): Promise<Toxiproxy> => {
  const { listen, reach, seed, populate } = options;
  if (!reach.listen && !isLoopback(listen.host))
    throw new DrydockError("LISTEN_NOT_LOOPBACK", `${listen.host} isn't a loopback address`, {
      fix: "Listen on 127.0.0.1, or ask for it with --listen-beyond-loopback.",
    });
  const shared = { timers: systemTimers, held: { total: 0 }, connections: 0, seed };
  const proxies = new Proxies(shared, reach);
  const api = new Api(proxies);
  const server = createServer(
    {
      insecureHTTPParser: false,
      requestTimeout: API_RECEIVE_MS,
      headersTimeout: API_RECEIVE_MS,
    },
    (request, response) => receive(api, request, response),
  );
  server.maxConnections = API_CONNECTIONS;
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
    await proxies.close();
  };
  try {
    const address = await listenOn(server, listen);
    const { length } = await populateFrom(proxies, populate);
    return { address, proxies: length, close: stop };
  } catch (error) {
    await stop();
    throw error;
  }
};

const populateFrom = async (
  proxies: Proxies,
  populate: readonly ProxyInput[],
): Promise<readonly unknown[]> => {
  try {
    return await proxies.populate(populate);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : "";
    throw new DrydockError("PROXIES_INVALID", `the proxies can't be started: ${why}`, {
      fix: "Correct the file of proxies.",
      cause,
    });
  }
};

const receive = (api: Api, request: IncomingMessage, response: ServerResponse): void => {
  const chunks: Buffer[] = [];
  let length = 0;
  request.on("error", () => undefined);
  response.on("error", () => undefined);
  request.on("data", (chunk: Buffer) => {
    length += chunk.length;
    if (length <= MAX_BODY_BYTES) chunks.push(chunk);
  });
  request.on("end", () => {
    const { method = "", url = "", headers } = request;
    if (length > MAX_BODY_BYTES) {
      const error = { error: "bad request body: too large", status: 413 };
      send(response, { status: 413, contentType: "application/json", body: JSON.stringify(error) });
      return;
    }
    api
      .answer({
        ...{ method, target: url, body: Buffer.concat(chunks) },
        userAgent: headers["user-agent"] ?? "",
        origin: headers.origin ?? null,
      })
      .then(
        (answer) => send(response, answer),
        () => send(response, { status: 500, contentType: "text/plain; charset=utf-8", body: "" }),
      );
  });
};

const send = (response: ServerResponse, { status, contentType, body }: ApiAnswer): void => {
  const headers = body === "" ? {} : { "Content-Type": contentType };
  response.writeHead(status, { ...headers, "Content-Length": Buffer.byteLength(body) });
  response.end(body);
};
