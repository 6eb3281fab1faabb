import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { TestContext } from "node:test";
import type { Issued } from "./certificates.js";

export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly string[];
  readonly body: string;
}

export interface TestUpstream {
  readonly port: number;
  /** Requests that arrived whole: what an application would have acted on. */
  readonly committed: readonly Seen[];
  /** Once so many have arrived whole. */
  readonly arrived: (count: number) => Promise<void>;
  /** Heads that arrived, of whole requests and of others. */
  readonly heads: () => number;
  readonly connections: () => number;
}

/** A server that counts what really reached it, and answers with its count and the body. */
export const startUpstream = async (
  t: TestContext,
  options: {
    readonly tls?: Issued;
    readonly answer?: (seen: Seen, response: ServerResponse) => void;
  } = {},
): Promise<TestUpstream> => {
  const committed: Seen[] = [];
  const waiting = new Set<{ readonly count: number; readonly resolve: () => void }>();
  let heads = 0;
  let connections = 0;
  const answer =
    options.answer ??
    ((seen, response) => {
      response.setHeader("X-Count", String(committed.length));
      response.end(`answer ${committed.length} to ${seen.body}`);
    });
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    heads += 1;
    const chunks: Buffer[] = [];
    request.on("error", () => undefined);
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url = "", rawHeaders: headers } = request;
      const seen = { method, url, headers, body: Buffer.concat(chunks).toString("latin1") };
      committed.push(seen);
      answer(seen, response);
      for (const { count, resolve } of waiting) if (count <= committed.length) resolve();
    });
  };
  const server =
    options.tls === undefined
      ? createServer(onRequest)
      : createTlsServer({ cert: options.tls.certificate, key: options.tls.key }, onRequest);
  server.on("connection", () => {
    connections += 1;
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  assert(typeof address === "object" && address !== null);
  return {
    port: address.port,
    committed,
    arrived: (count) =>
      new Promise((resolve) => {
        if (count <= committed.length) resolve();
        else waiting.add({ count, resolve });
      }),
    heads: () => heads,
    connections: () => connections,
  };
};
