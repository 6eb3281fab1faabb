import { connect as connectTcp } from "node:net";
import { connect, type TLSSocket } from "node:tls";
import { AUTHORITY, type Door } from "./lab.js";

export interface TlsOptions {
  readonly alpn?: readonly string[];
  readonly servername?: string;
}

/** A TLS connection through the door, as a client in the guest makes it. */
export const secure = (
  door: Pick<Door, "port" | "ca">,
  { alpn = ["http/1.1"], servername = AUTHORITY.host }: TlsOptions = {},
): Promise<TLSSocket> =>
  new Promise((resolve, reject) => {
    const socket = connect({
      socket: connectTcp(door.port, "127.0.0.1"),
      servername,
      ca: door.ca.caCertificatePem,
      ALPNProtocols: [...alpn],
    });
    socket.once("error", reject);
    socket.once("close", () => reject(new Error("closed before it was secure")));
    socket.once("secureConnect", () => resolve(socket));
  });

/** Writes raw bytes and returns all that comes back until the end, and how it ended. */
export const exchange = async (door: Pick<Door, "port" | "ca">, text: string): Promise<string> => {
  const socket = await secure(door);
  socket.on("error", () => undefined);
  socket.write(text, "latin1");
  let received = "";
  socket.on("data", (chunk) => {
    received += chunk.toString("latin1");
  });
  await new Promise((resolve) => socket.once("close", resolve));
  return received;
};
