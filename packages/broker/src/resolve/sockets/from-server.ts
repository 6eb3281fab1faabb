import type { Server } from "./socket.js";

/**
 * Guard: whether a datagram came from the server that was asked. The connected socket has the
 * kernel see to it as well, but only from the moment it is connected, which is after it is bound.
 */
export const fromServer = (
  sender: { readonly address: string; readonly port: number },
  server: Server,
): boolean => sender.address === server.address && sender.port === server.port;
