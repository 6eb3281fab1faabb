import { createSocket } from "node:dgram";
import { fromServer } from "./from-server.js";
import type { CloseQuery, QueryEvents, Server } from "./socket.js";

/** Sends one query from a port that the kernel picks at random, and passes on what comes back. */
export const askOverUdp = (server: Server, query: Uint8Array, events: QueryEvents): CloseQuery => {
  const socket = createSocket({
    type: server.family === 4 ? "udp4" : "udp6",
    // Only ever called with addresses; the default would be the system's resolver.
    lookup: (address, _options, callback) => callback(null, address, server.family),
  });
  let open = true;
  const close = (): void => {
    if (!open) return;
    open = false;
    socket.close();
  };
  const broken = (): void => {
    if (!open) return;
    close();
    events.broken();
  };
  // Also after it was closed: an error that nobody listens to would end the process.
  socket.on("error", broken);
  socket.on("message", (bytes, sender) => {
    if (open && fromServer(sender, server)) events.message(bytes);
  });
  // As an event: a callback would be given the error of a failed connect, and nobody else.
  socket.once("connect", () => {
    if (!open) return;
    socket.send(query, (error) => {
      if (error !== null) broken();
    });
  });
  socket.connect(server.port, server.address);
  return close;
};
