import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createNetServer, type Server, type Socket } from "node:net";
import { createSecureContext, TLSSocket } from "node:tls";
import { DrydockError } from "@drydock/evidence";
import { isTooLate } from "../arming/deadline.js";
import type { Plan } from "../arming/model.js";
import { isMutation } from "../arming/phase.js";
import { type Session, type SessionEvent, startSession, stepSession } from "../arming/step.js";
import { listenOn } from "../stream/listen.js";
import type { Timers } from "../timers.js";
import { deliveryOf } from "./delivery.js";
import type { Exchange } from "./exchange.js";
import { MAX_CONNECTIONS, MAX_HEAD_BYTES, MAX_RECORDS } from "./limits.js";
import type { ExchangeRecord, Outcome } from "./model.js";
import { templateOf } from "./path-template.js";
import { Patience } from "./patience.js";
import { Performer } from "./perform.js";
import { refuse } from "./refuse.js";
import { resetConnection } from "./reset.js";
import type { Upstream } from "./upstream.js";

export interface HttpProxyOptions {
  readonly listen: { readonly host: string; readonly port: number };
  /** PEM, of the name that clients ask for; null: plain HTTP. */
  readonly tls: { readonly certificate: string; readonly key: string } | null;
  readonly upstream: Upstream;
  /** See `templateOf`. */
  readonly paths: readonly string[];
  /** Of this proxy's clock. */
  readonly mutationsUntil: number | null;
  readonly timers: Timers;
  /** Told when an exchange starts and when it ends. */
  readonly onRecord: (record: ExchangeRecord) => void;
}

export interface HttpProxy {
  readonly address: { readonly host: string; readonly port: number };
  /** Begins, arms, disarms, brings the deadline nearer; false when there is no room. */
  tell(event: Exclude<SessionEvent, { type: "request" }>): boolean;
  close(): Promise<void>;
}

/**
 * An HTTP/1.1 proxy for one upstream that knows where in a cycle each request stands. It reads
 * messages with Node's strict parser and writes them anew: names, values and their order, and
 * bodies, are the sender's; framing is the proxy's own.
 *
 * @throws DrydockError LISTEN_FAILED, TLS_INVALID
 */
export const startHttpProxy = async (options: HttpProxyOptions): Promise<HttpProxy> => {
  const proxy = new PhaseProxy(options);
  await proxy.listen();
  return proxy;
};

type Parts = Omit<ExchangeRecord, "durationMs" | "status" | "delivered" | "copies" | "outcome">;

class PhaseProxy implements HttpProxy {
  readonly #options: HttpProxyOptions;
  #session: Session;
  #seq = 0;
  readonly #startedAt: number;
  /** Of what HTTP is spoken over: the connection itself, or TLS on it. */
  readonly #connections = new WeakMap<
    Socket,
    { readonly raw: Socket; readonly patience: Patience }
  >();
  readonly #performers = new Set<Performer>();
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;
  #address = { host: "", port: 0 };

  constructor(options: HttpProxyOptions) {
    this.#options = options;
    this.#session = startSession(options.mutationsUntil);
    this.#startedAt = options.timers.now();
    this.#server = this.#serve();
  }

  get address(): { readonly host: string; readonly port: number } {
    return this.#address;
  }

  async listen(): Promise<void> {
    this.#address = await listenOn(this.#server, this.#options.listen);
  }

  tell(event: Exclude<SessionEvent, { type: "request" }>): boolean {
    const { state, effects } = stepSession(this.#session, event);
    this.#session = state;
    return effects.length === 0;
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const performer of this.#performers) performer.destroy();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #serve(): Server {
    const { tls } = this.#options;
    const http = createServer(
      {
        insecureHTTPParser: false,
        maxHeaderSize: MAX_HEAD_BYTES,
        // See `Patience`.
        keepAliveTimeout: 0,
      },
      (request, response) => this.#onRequest(request, response),
    );
    http.on("clientError", (_error, socket) => {
      if (socket.writable) socket.end("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
      else socket.destroy();
    });
    const context = tls === null ? null : contextOf(tls);
    // The connection below TLS stays in reach: only there is a reset.
    const server = createNetServer({ noDelay: true, allowHalfOpen: true }, (raw) => {
      this.#sockets.add(raw);
      raw.once("close", () => this.#sockets.delete(raw));
      raw.on("error", () => undefined);
      const socket =
        context === null ? raw : new TLSSocket(raw, { isServer: true, secureContext: context });
      socket.on("error", () => raw.destroy());
      this.#connections.set(socket, { raw, patience: new Patience(raw, this.#options.timers) });
      http.emit("connection", socket);
    });
    server.maxConnections = MAX_CONNECTIONS;
    return server;
  }

  #onRequest(request: IncomingMessage, response: ServerResponse): void {
    this.#connections.get(request.socket)?.patience.began(request, response);
    const method = request.method ?? "";
    const target = request.url ?? "";
    // RFC 9112 §3.2.1: another form would name a server, and there is one here.
    if (!target.startsWith("/")) {
      refuse(response, 400, "TARGET_FORM");
      return;
    }
    // The parser takes any; what another version means nobody has said.
    if (request.httpVersion !== "1.1" && request.httpVersion !== "1.0") {
      refuse(response, 505, "HTTP_VERSION");
      return;
    }
    if (this.#seq >= MAX_RECORDS) {
      refuse(response, 503, "TOO_MANY_REQUESTS");
      return;
    }
    const { timers, paths } = this.#options;
    const at = timers.now();
    const { state, effects } = stepSession(this.#session, { type: "request", method, at });
    this.#session = state;
    this.#seq += 1;
    const seq = this.#seq;
    const parts = { seq, method, path: templateOf(target, paths), atMs: this.#since(at) };
    for (const effect of effects) {
      switch (effect.type) {
        case "refuse":
          refuse(response, 503, effect.reason);
          this.#tell({ ...parts, phase: effect.phase, fault: null }, null, "refused-deadline");
          break;
        case "exchange": {
          const { phase, plan, arming } = effect;
          const fault = arming === null ? null : { arming, kinds: plan.kinds, took: [] };
          this.#perform({ ...parts, phase, fault }, plan, request, response);
          break;
        }
        case "full":
          break;
      }
    }
  }

  #perform(parts: Parts, plan: Plan, request: IncomingMessage, response: ServerResponse): void {
    this.#tell(parts, null, "open");
    const { upstream, timers } = this.#options;
    const raw = this.#connections.get(request.socket)?.raw ?? request.socket;
    const mutation = isMutation(parts.method);
    const performer = new Performer({
      ...{ request, response, plan, upstream, timers },
      isTooLate: () => mutation && isTooLate(timers.now(), this.#session.mutationsUntil),
      resetClient: () => resetConnection(raw),
      onChange: (state) => this.#tell(parts, state, "open"),
      onSettled: (state, outcome) => {
        this.#performers.delete(performer);
        this.#tell(parts, state, outcome);
      },
    });
    this.#performers.add(performer);
  }

  #tell(parts: Parts, state: Exchange | null, outcome: Outcome): void {
    const status = state?.status ?? null;
    const now = this.#since(this.#options.timers.now());
    this.#options.onRecord({
      ...parts,
      status,
      durationMs: outcome === "open" ? null : now - parts.atMs,
      delivered: deliveryOf(state?.sent ?? "none", status !== null),
      copies: state?.copies ?? 0,
      outcome,
      fault: parts.fault === null ? null : { ...parts.fault, took: state?.took ?? [] },
    });
  }

  #since(at: number): number {
    return Math.round(at - this.#startedAt);
  }
}

const contextOf = ({ certificate, key }: { certificate: string; key: string }) => {
  try {
    return createSecureContext({ cert: certificate, key, minVersion: "TLSv1.2" });
  } catch (cause) {
    throw new DrydockError("TLS_INVALID", "the certificate and key of the proxy can't be used", {
      fix: "Give a certificate and the key that belongs to it, both as PEM.",
      cause,
    });
  }
};
