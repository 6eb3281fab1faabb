import type { Duplex } from "node:stream";
import { connect, type TLSSocket } from "node:tls";
import type { Authority } from "../authority/authority.js";
import type { Reason } from "../decision/index.js";
import type { HttpVersion } from "./model.js";
import { upstreamVerification } from "./verification.js";

export type UpstreamResult =
  | { readonly kind: "connected"; readonly socket: TLSSocket; readonly http: HttpVersion }
  | { readonly kind: "refused"; readonly reason: Reason };

/**
 * What to offer the upstream of what the client offers (RFC 7301), so that both sides speak the
 * same protocol and nothing has to be translated. Null when there is nothing that both know.
 */
export const commonProtocols = (
  offered: readonly string[] | null,
): readonly HttpVersion[] | null => {
  if (offered === null) return ["http/1.1"];
  const known = (["h2", "http/1.1"] as const).filter((name) => offered.includes(name));
  return known.length === 0 ? null : known;
};

/** Shakes hands with the upstream over a connection that was dialled, and verifies it. */
export const connectUpstream = (
  connection: Duplex,
  { host }: Authority,
  protocols: readonly HttpVersion[],
  roots: readonly string[],
): Promise<UpstreamResult> =>
  new Promise((resolve) => {
    const socket = connect({
      socket: connection,
      servername: host,
      ALPNProtocols: [...protocols],
      minVersion: "TLSv1.2",
      ...upstreamVerification(roots),
    });
    const failed = (): void =>
      resolve({
        kind: "refused",
        // Set whenever the certificate was the reason (tls.TLSSocket.authorizationError).
        reason: socket.authorizationError ? "UPSTREAM_CERTIFICATE" : "UPSTREAM_TLS",
      });
    socket.on("error", failed);
    socket.on("close", failed);
    socket.on("secureConnect", () =>
      resolve({
        kind: "connected",
        socket,
        // RFC 7301 §3.2: a server that ignores the extension speaks what it spoke before.
        http: socket.alpnProtocol === "h2" ? "h2" : "http/1.1",
      }),
    );
  });
