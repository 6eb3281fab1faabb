import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createSecureServer, type Http2SecureServer } from "node:http2";
import { createServer as createHttp1, type Server as Http1Server } from "node:https";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import type { Authority } from "../../authority/authority.js";
import type { Canary } from "../../canary/index.js";
import { createHelloReader, HELLO_LIMITS } from "../../hello/index.js";
import type { RequestRule } from "../../policy/model.js";
import { createInspections, type Secret } from "../../secret/index.js";
import type { Timers } from "../../timers.js";
import {
  createRunCa,
  type RunCa,
  type TerminateEvent,
  type TerminateLimits,
  type TerminateOutcome,
  terminate,
} from "../index.js";

export const AUTHORITY: Authority = { host: "api.example.com", port: 443 };

export const TIMERS: Timers = {
  after(ms, call) {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  },
  now: () => performance.now(),
};

export const caFor = (...hosts: readonly string[]): Promise<RunCa> =>
  createRunCa({
    issuer: "Drydock test",
    hosts,
    now: new Date(),
    lifetimeMs: 3_600_000,
    random: randomBytes,
  });

export interface After {
  after(fn: () => void | Promise<void>): void;
}

export const listen = async (test: After, server: Server): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const open = new Set<{ destroy(): void }>();
  server.on("connection", (socket) => {
    open.add(socket);
    socket.on("close", () => open.delete(socket));
    socket.on("error", () => undefined);
  });
  test.after(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
};

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export interface Upstream {
  readonly port: number;
  readonly ca: RunCa;
  /** Heads that reached it: what leaked, or what went through. */
  readonly seen: IncomingMessage[];
  readonly server: Http1Server | Http2SecureServer;
}

export interface UpstreamOptions {
  readonly h2?: boolean;
  /** Name in its certificate. */
  readonly host?: string;
  readonly handler?: Handler;
}

/** A real TLS server with a certificate of its own CA, which tests name as an extra root. */
export const startUpstream = async (
  test: After,
  { h2 = false, host = AUTHORITY.host, handler }: UpstreamOptions = {},
): Promise<Upstream> => {
  const ca = await caFor(host);
  const identity = await ca.identityFor(host);
  const options = { cert: identity.certificatePem, key: identity.keyPem };
  const seen: IncomingMessage[] = [];
  const handle: Handler = (request, response) => {
    seen.push(request);
    if (handler !== undefined) handler(request, response);
    else response.end(`hello over ${request.httpVersion}\n`);
  };
  const server = h2
    ? createSecureServer({ ...options, allowHTTP1: true }, handle as never)
    : createHttp1(options, handle);
  return { port: await listen(test, server), ca, seen, server };
};

export interface Door {
  /** Where clients of the terminated tunnel connect to, on 127.0.0.1. */
  readonly port: number;
  readonly ca: RunCa;
  readonly events: TerminateEvent[];
  /** Of each connection, in the order in which they ended. */
  readonly outcomes: TerminateOutcome[];
  readonly ended: (count: number) => Promise<readonly TerminateOutcome[]>;
}

export interface DoorOptions {
  readonly upstream: { readonly port: number; readonly ca: RunCa };
  readonly authority?: Authority;
  /** The authority's port is the door's own: for clients that dial what the URL says. */
  readonly ownPort?: boolean;
  readonly requests?: readonly RequestRule[] | null;
  readonly secrets?: readonly Secret[];
  readonly canaries?: readonly Canary[];
  readonly upstreamRoots?: readonly string[];
  readonly limits?: Partial<TerminateLimits>;
}

/** Reads each connection's hello as the service does, and hands it over. */
export const openDoor = async (
  test: After,
  {
    upstream,
    authority: named = AUTHORITY,
    ownPort = false,
    requests = null,
    secrets = [],
    canaries = [],
    upstreamRoots = [upstream.ca.caCertificatePem],
    limits = {},
  }: DoorOptions,
): Promise<Door> => {
  const ca = await caFor(named.host);
  let authority = named;
  const inspections = createInspections(secrets, canaries);
  const events: TerminateEvent[] = [];
  const outcomes: TerminateOutcome[] = [];
  const waiting: (() => void)[] = [];
  const server = createServer((client) => {
    const reader = createHelloReader(HELLO_LIMITS);
    client.on("error", () => undefined);
    const onData = (bytes: Uint8Array): void => {
      // As the broker's own reader does it before: CONNECT, for clients that know a proxy only.
      if (bytes[0] === 0x43) {
        client.write("HTTP/1.1 200 OK\r\n\r\n");
        return;
      }
      const step = reader.push(bytes);
      if (step.kind === "more") return;
      client.off("data", onData);
      client.pause();
      if (step.kind === "refused") {
        client.destroy();
        return;
      }
      const dialled = connect(upstream.port, "127.0.0.1");
      dialled.on("error", () => undefined);
      dialled.once("connect", () => {
        const termination = terminate(client, {
          authority,
          requests,
          upstream: dialled,
          hello: { bytes: Buffer.concat([step.raw, step.rest]), alpn: step.hello.alpn },
          ca,
          inspection: inspections(authority),
          upstreamRoots,
          limits: {
            maxHeaderBytes: 16_384,
            headerTimeoutMs: 5_000,
            handshakeTimeoutMs: 5_000,
            ...limits,
          },
          timers: TIMERS,
          onEvent: (event) => events.push(event) > 0,
        });
        void termination.ended.then((outcome) => {
          outcomes.push(outcome);
          for (const wake of waiting.splice(0)) wake();
        });
      });
    };
    client.on("data", onData);
  });
  const port = await listen(test, server);
  if (ownPort) authority = { ...named, port };
  return {
    port,
    ca,
    events,
    outcomes,
    async ended(count) {
      while (outcomes.length < count) {
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
      return outcomes;
    },
  };
};
