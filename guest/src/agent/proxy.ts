import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { pipeline } from "node:stream";
import {
  type BulkChannel,
  type BulkStream,
  MAX_STREAMS,
  PROXY_HOST,
  PROXY_PORT,
} from "@drydock/wire";

/** Accepted connections that wait for a stream: more than any installer opens at once. */
const MAX_WAITING = 256;

/** The door to the broker as programs in the guest see it. */
export interface EgressDoor {
  readonly port: number;
  close(): void;
}

/**
 * Relays each TCP connection to the port as one stream of the channel, untouched: what a request
 * means and whether it is granted is the broker's business, outside of the guest.
 *
 * @throws the listener's error, such as EADDRINUSE
 */
export const openEgressDoor = async (
  channel: BulkChannel,
  port = PROXY_PORT,
): Promise<EgressDoor> => {
  const waiting: Socket[] = [];
  const open = new Set<Socket>();
  const relayNext = (): void => {
    while (open.size < MAX_STREAMS) {
      const socket = waiting.shift();
      if (socket === undefined) return;
      if (socket.destroyed) continue;
      relay(socket);
    }
  };
  const relay = (socket: Socket): void => {
    const stream = openStream(channel);
    if (stream === null) {
      socket.resetAndDestroy();
      return;
    }
    open.add(socket);
    stream.once("close", () => {
      open.delete(socket);
      relayNext();
    });
    join(socket, stream);
  };
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (socket) => {
    // Whoever opened the connection learns of its end; until it is relayed nobody else has to.
    socket.on("error", () => undefined);
    if (waiting.length >= MAX_WAITING) {
      socket.resetAndDestroy();
      return;
    }
    waiting.push(socket);
    relayNext();
  });
  server.listen(port, PROXY_HOST);
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close();
      for (const socket of [...waiting, ...open]) socket.resetAndDestroy();
    },
  };
};

/** Null when the channel is gone, or still waits for the host to let go of streams that were reset. */
const openStream = (channel: BulkChannel): BulkStream | null => {
  try {
    return channel.open();
  } catch {
    return null;
  }
};

/** Ends are passed on as ends, and resets as resets, each direction by itself. */
const join = (socket: Socket, stream: BulkStream): void => {
  socket.setNoDelay(true);
  // Before the pipelines, which would only close the connection.
  stream.once("error", () => socket.resetAndDestroy());
  pipeline(socket, stream, settled);
  pipeline(stream, socket, settled);
};

/** The other side was told by the pipeline. */
const settled = (): void => undefined;
