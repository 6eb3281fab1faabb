import { type ClientRequest, type IncomingMessage, request as plainRequest } from "node:http";
import { request as tlsRequest } from "node:https";
import { connect, type Socket } from "node:net";
import { connect as tlsConnect } from "node:tls";
import { MAX_HEAD_BYTES } from "./limits.js";
import { resetConnection } from "./reset.js";
import { trustOf } from "./trust.js";

/** An address and no name: what a name stands for is decided once, by whoever starts the proxy. */
export interface Upstream {
  readonly host: string;
  readonly port: number;
  readonly tls: UpstreamTls | null;
}

export interface UpstreamTls {
  /** PEM: the only authorities that are trusted. */
  readonly ca: string;
  /** The name that the certificate has to be for; null for the address. */
  readonly serverName: string | null;
}

/** A request, held whole. */
export interface Message {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly string[];
  readonly body: Buffer;
}

export interface CopyEvents {
  /** Nothing of the request has been handed over yet: ending it, with its body, does that. */
  readonly onConnected: () => void;
  readonly onAnswer: (answer: IncomingMessage) => void;
  readonly onFailed: () => void;
}

/** On a connection of its own: one that was kept may be dead, and nothing here may be sent again. */
export const connectCopy = (
  upstream: Upstream,
  { method, target, headers }: Message,
  { onConnected, onAnswer, onFailed }: CopyEvents,
): ClientRequest => {
  const { host, port, tls } = upstream;
  const options = {
    ...{ host, port, method, path: target, headers: [...headers], setHost: false },
    ...{ agent: false, insecureHTTPParser: false, maxHeaderSize: MAX_HEAD_BYTES },
  } as const;
  const request =
    tls === null ? plainRequest(options) : tlsRequest({ ...options, ...trustOf(upstream, tls) });
  request.on("error", onFailed);
  request.on("response", onAnswer);
  // Nobody asked for another protocol. Unheard, Node would end such a connection without a word.
  request.on("upgrade", (_answer, socket) => {
    socket.destroy();
    onFailed();
  });
  request.once("socket", (socket) => {
    socket.setNoDelay(true);
    socket.once(tls === null ? "connect" : "secureConnect", onConnected);
  });
  return request;
};

/**
 * Hands over the first bytes of a request, as they would stand on the wire, and never all of them.
 * The returned function resets the connection.
 */
export const sendPart = (
  upstream: Upstream,
  message: Message,
  bytes: number,
  { onSent, onFailed }: { readonly onSent: () => void; readonly onFailed: () => void },
): (() => void) => {
  const wire = serialise(message);
  const part = wire.subarray(0, Math.min(bytes, wire.length - 1));
  const { host, port, tls } = upstream;
  const socket = connect({ host, port, noDelay: true });
  socket.once("error", onFailed);
  const deliver = (over: Socket): void => {
    over.write(part, (error) => (error ? onFailed() : onSent()));
  };
  if (tls === null) socket.once("connect", () => deliver(socket));
  else {
    const secure = tlsConnect({ ...trustOf(upstream, tls), socket });
    secure.once("error", onFailed);
    secure.once("secureConnect", () => deliver(secure));
  }
  return () => resetConnection(socket);
};

const serialise = ({ method, target, headers, body }: Message): Buffer => {
  let head = `${method} ${target} HTTP/1.1\r\n`;
  headers.forEach((text, at) => {
    head += at % 2 === 0 ? `${text}: ` : `${text}\r\n`;
  });
  return Buffer.concat([Buffer.from(`${head}\r\n`, "latin1"), body]);
};
