import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { DrydockError } from "@drydock/evidence";
import { SOCKET_BUFFER_BYTES } from "./dial.js";
import type { Broker } from "./model.js";

export interface ListenOptions {
  /** An IP address of this machine. */
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Of the broker's policy. */
  readonly maxConnections: number;
}

export interface Listener {
  readonly address: AddressInfo;
  /** Accepts nothing more. Connections that were accepted are the broker's. */
  close(): Promise<void>;
}

/**
 * Connections beyond the policy's limit that are still told why. Those beyond them are closed as
 * soon as the kernel hands them over, before anything is kept of them.
 */
export const REFUSED_AT_ONCE = 64;

/** Connections that the kernel keeps until they are accepted; it cuts this to its own limit. */
const BACKLOG = 4096;

/** @throws DrydockError EGRESS_LISTEN */
export const listen = async (broker: Broker, options: ListenOptions): Promise<Listener> => {
  const { host, port, maxConnections } = options;
  const server = createServer(
    {
      allowHalfOpen: true,
      pauseOnConnect: true,
      noDelay: true,
      highWaterMark: SOCKET_BUFFER_BYTES,
    },
    (socket) => broker.accept(socket),
  );
  server.maxConnections = maxConnections + REFUSED_AT_ONCE;
  server.on("drop", () => broker.shed());
  try {
    server.listen({ host, port, backlog: BACKLOG });
    await once(server, "listening");
  } catch (cause) {
    throw new DrydockError("EGRESS_LISTEN", `cannot listen: ${(cause as Error).message}`, {
      fix: "Name an address of this machine and a port that is free.",
      cause,
    });
  }
  // An address was asked for, so it isn't the path of a socket.
  const address = server.address() as AddressInfo;
  return {
    address,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
};
