import { connect } from "node:net";
import { createFrameReader, frame } from "./frame-reader.js";
import type { CloseQuery, QueryEvents, Server } from "./socket.js";

/** Asks over a connection of its own (RFC 7766 would allow to share one; then answers could mix). */
export const askOverTcp = (
  server: Server,
  query: Uint8Array,
  maxMessageBytes: number,
  events: QueryEvents,
): CloseQuery => {
  const socket = connect({ host: server.address, port: server.port, family: server.family });
  const reader = createFrameReader(maxMessageBytes);
  let open = true;
  const close = (): void => {
    open = false;
    socket.destroy();
  };
  const closeAnd = (tell: () => void): void => {
    if (!open) return;
    close();
    tell();
  };
  // Also after it was closed: an error that nobody listens to would end the process.
  socket.on("error", () => closeAnd(events.broken));
  socket.on("close", () => closeAnd(events.broken));
  socket.on("end", () => closeAnd(events.broken));
  socket.on("data", (bytes) => {
    if (!open) return;
    const step = reader.push(bytes);
    switch (step.kind) {
      case "more":
        return;
      case "too-long":
        return closeAnd(events.tooLong);
      case "message":
        return closeAnd(() => events.message(step.bytes));
    }
  });
  socket.write(frame(query));
  return close;
};
