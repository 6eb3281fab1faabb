import type { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";
import type { Reason } from "../decision/index.js";
import { tap } from "../tap/index.js";
import { resetStream } from "../tunnel/index.js";
import { serveHttp1 } from "./http1.js";
import { serveHttp2 } from "./http2.js";
import type { HttpVersion, TerminateOptions, TerminateOutcome, Termination } from "./model.js";
import type { Served } from "./serve.js";
import { createTunnel } from "./tunnel.js";
import { commonProtocols, connectUpstream } from "./upstream.js";

/** What is written when a tunnel finishes has this long to go out, in milliseconds. */
const LINGER_MS = 2_000;

/**
 * Terminates TLS on a tunnel whose hello was bound to its authority: the upstream is verified
 * first, then the client is served with the run's own certificate, and every request is decided
 * about by itself. One upstream connection for one of the client's, and none for anything else.
 */
export const terminate = (client: Duplex, options: TerminateOptions): Termination => {
  const bytes = { up: 0, down: 0 };
  let http: HttpVersion | null = null;
  let upstream: Duplex = options.upstream;
  let served: Served | null = null;
  let secured: TLSSocket | null = null;
  let settled: (outcome: TerminateOutcome) => void;
  const ended = new Promise<TerminateOutcome>((resolve) => {
    settled = resolve;
  });

  const tapped = tap(client, options.hello.bytes, (direction, { length }) => {
    bytes[direction] += length;
    options.onBytes?.(direction, length);
    if (direction === "up" && secured !== null) served?.heard();
    return true;
  });

  const end = (reason: Reason, finding: string | null, how: "cut" | "finish"): void => {
    cancelHandshake();
    const settle = (): void => {
      served?.close();
      // A client whose tunnel was cut mustn't take what it got for all there was.
      if (how === "cut") resetStream(client);
      tapped.destroy();
      upstream.destroy();
      options.upstream.destroy();
      settled({ reason, finding, http, ...bytes, ...tunnel.counts });
    };
    if (how === "cut" || secured === null || secured.destroyed) {
      settle();
      return;
    }
    const cancel = options.timers.after(LINGER_MS, settle);
    secured.once("close", () => {
      cancel();
      settle();
    });
    secured.end();
  };
  const tunnel = createTunnel(options, end);
  const { handshakeTimeoutMs } = options.limits;
  let cancelHandshake = options.timers.after(handshakeTimeoutMs, () => tunnel.end("UPSTREAM_TLS"));
  const clientLeft = (): void => {
    if (served !== null && secured === null) tunnel.end("CLIENT_TLS");
    else tunnel.end(served?.isIdle() === true ? "CLOSED" : "CLIENT_RESET");
  };
  tapped.on("error", clientLeft);
  tapped.on("close", clientLeft);

  const serve = async (): Promise<void> => {
    const { authority, ca, hello, upstreamRoots } = options;
    const protocols = commonProtocols(hello.alpn);
    if (protocols === null) return tunnel.end("CLIENT_TLS");
    const identity = await ca.identityFor(authority.host);
    const connected = await connectUpstream(options.upstream, authority, protocols, upstreamRoots);
    cancelHandshake();
    if (tunnel.isEnded()) return;
    if (connected.kind === "refused") return tunnel.end(connected.reason);
    upstream = connected.socket;
    http = connected.http;
    cancelHandshake = options.timers.after(handshakeTimeoutMs, () => tunnel.end("CLIENT_TLS"));
    served =
      http === "h2"
        ? serveHttp2(tunnel, identity, connected.socket)
        : serveHttp1(tunnel, identity, connected.socket);
    served.server.on("tlsClientError", () => tunnel.end("CLIENT_TLS"));
    served.server.on("secureConnection", (socket: TLSSocket) => {
      cancelHandshake();
      secured = socket;
      // A part of the first request may have come together with the handshake's end.
      served?.heard();
      socket.on("error", clientLeft);
      socket.on("close", () => tunnel.finish("CLOSED"));
    });
    // Serves over any stream; wrapping a TLSSocket around a server's handshake by hand hangs.
    served.server.emit("connection", tapped);
  };
  serve().catch(() => tunnel.end("CLIENT_TLS"));

  return { ended, end: (reason) => tunnel.end(reason) };
};
