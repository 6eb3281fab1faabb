import type { ClientRequest, IncomingMessage } from "node:http";
import { request } from "node:http";
import { connect, type TLSSocket } from "node:tls";

/** One appliance, at one address that was checked before; see `pinAddress`. */
export interface Endpoint {
  readonly address: string;
  readonly port: number;
  /** What the certificate has to be for: a name, or the address itself. */
  readonly host: string;
  /** PEM. This authority alone, instead of those of the system; null for those. */
  readonly ca: string | null;
  readonly deadlines: { readonly connectMs: number; readonly answerMs: number };
}

export interface ExchangeRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
}

export type BreakReason = "RESET" | "TIMEOUT" | "TRUNCATED" | "PROTOCOL" | "TLS" | "TOO_LARGE";

/**
 * What became of one request.
 *
 * `unsent` is proven: no connection was there to carry a byte of it. A handshake that fails comes
 * before the request. After that, whatever goes wrong is `broken`, and nobody knows.
 */
export type Exchange =
  | { readonly kind: "answered"; readonly status: number; readonly body: Buffer }
  | { readonly kind: "unsent"; readonly reason: "CONNECT" | "TLS" }
  | { readonly kind: "broken"; readonly reason: BreakReason };

/** Far above 500 aliases with all their members. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

/**
 * Sends one request over a connection of its own and waits for the whole answer. No proxy variable
 * is looked at, no name looked up, no redirect followed, nothing sent twice; the certificate is
 * always verified.
 */
export const exchange = async (endpoint: Endpoint, asked: ExchangeRequest): Promise<Exchange> => {
  const socket = await secured(endpoint);
  return typeof socket === "string"
    ? { kind: "unsent", reason: socket }
    : await answered(socket, endpoint, asked);
};

const secured = ({
  address,
  port,
  host,
  ca,
  deadlines,
}: Endpoint): Promise<TLSSocket | "CONNECT" | "TLS"> =>
  new Promise((resolve) => {
    let connected = false;
    const socket = connect({
      host: address,
      port,
      // RFC 6066 §3: addresses aren't sent as server names; they are verified all the same.
      ...(host === address ? {} : { servername: host }),
      ...(ca === null ? {} : { ca }),
      minVersion: "TLSv1.2",
      ALPNProtocols: ["http/1.1"],
      rejectUnauthorized: true,
    });
    const end = (result: TLSSocket | "CONNECT" | "TLS"): void => {
      clearTimeout(late);
      socket.removeAllListeners("error");
      // Also on one that is handed on: until whoever gets it listens, an error would be nobody's.
      socket.on("error", () => undefined);
      if (typeof result === "string") socket.destroy();
      resolve(result);
    };
    const late = setTimeout(() => end(connected ? "TLS" : "CONNECT"), deadlines.connectMs);
    socket.once("connect", () => {
      connected = true;
    });
    socket.once("error", () => end(connected ? "TLS" : "CONNECT"));
    socket.once("secureConnect", () => end(socket));
  });

const answered = (
  socket: TLSSocket,
  { host, port, deadlines }: Endpoint,
  { method, target, headers, body }: ExchangeRequest,
): Promise<Exchange> =>
  new Promise((resolve) => {
    let heard: IncomingMessage | null = null;
    const end = (result: Exchange): void => {
      clearTimeout(late);
      socket.on("error", () => undefined).destroy();
      resolve(result);
    };
    const broke = (error: NodeJS.ErrnoException): void =>
      end({ kind: "broken", reason: reasonOf(error, heard !== null) });
    const late = setTimeout(() => end({ kind: "broken", reason: "TIMEOUT" }), deadlines.answerMs);
    const sent: ClientRequest = request({
      createConnection: () => socket,
      method,
      path: target,
      setHost: false,
      headers: {
        host: port === 443 ? host : `${host}:${port}`,
        ...headers,
        ...(body === null ? {} : { "content-length": `${body.byteLength}` }),
        connection: "close",
      },
    });
    sent.on("error", broke);
    sent.once("response", (response) => {
      heard = response;
      const chunks: Buffer[] = [];
      let length = 0;
      response.on("data", (chunk: Buffer) => {
        length += chunk.length;
        if (length > MAX_ANSWER_BYTES) end({ kind: "broken", reason: "TOO_LARGE" });
        else chunks.push(chunk);
      });
      response.once("error", broke);
      response.once("end", () =>
        response.complete
          ? end({ kind: "answered", status: response.statusCode ?? 0, body: Buffer.concat(chunks) })
          : end({ kind: "broken", reason: "TRUNCATED" }),
      );
    });
    sent.end(body ?? undefined);
  });

const reasonOf = ({ code = "" }: NodeJS.ErrnoException, begun: boolean): BreakReason => {
  if (code.startsWith("HPE_")) return "PROTOCOL";
  if (code.startsWith("ERR_SSL_") || code.startsWith("ERR_TLS_")) return "TLS";
  return begun ? "TRUNCATED" : "RESET";
};
