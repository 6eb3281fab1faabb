import { type LookupFunction, Socket } from "node:net";
import type { IpAddress } from "../address/address.js";
import { formatIp } from "../address/ip-text.js";
import type { Timers } from "../timers.js";
import { readBuffersOf } from "../tunnel/index.js";
import { isConnectedTo } from "./is-connected-to.js";
import type { Dial, Dialled } from "./model.js";

/**
 * Kept in memory for a reader that doesn't read, in each direction of a socket. More than Node's
 * 16 KiB, so that a 64 KiB read doesn't stop the sender each time.
 */
export const SOCKET_BUFFER_BYTES = 128 * 1024;

const FAILED: Dialled = { kind: "failed", reason: "CONNECT_FAILED" };
const TIMED_OUT: Dialled = { kind: "failed", reason: "CONNECT_TIMEOUT" };

/**
 * Connects to an address and a port. Node is given numbers and a look-up that always fails: no
 * name is ever resolved here, and no other address tried.
 */
export const createDial =
  (timers: Timers): Dial =>
  (address, port, { timeoutMs, signal }) =>
    new Promise((resolve) => {
      const { onread, release } = readBuffersOf(() => socket);
      const options = { allowHalfOpen: true, highWaterMark: SOCKET_BUFFER_BYTES, onread };
      const socket: Socket = new Socket(options);
      const settle = (dialled: Dialled): void => {
        cancel();
        signal.removeEventListener("abort", abort);
        if (dialled.kind === "failed") socket.destroy();
        resolve(dialled);
      };
      const abort = (): void => settle(FAILED);
      const cancel = timers.after(timeoutMs, () => settle(TIMED_OUT));
      signal.addEventListener("abort", abort, { once: true });
      // Stays for the socket's life: whoever takes it over may come too late for its first error.
      socket.on("error", (error: NodeJS.ErrnoException) => settle(failureOf(error)));
      socket.once("close", release);
      socket.once("connect", () =>
        settle(isConnectedTo(socket, address, port) ? { kind: "connected", socket } : FAILED),
      );
      if (signal.aborted) abort();
      else socket.connect(target(address, port));
    });

const lookNothingUp: LookupFunction = (_name, _options, done) =>
  done(new Error("nothing is looked up here"), "");

const target = (address: IpAddress, port: number) => ({
  host: formatIp(address),
  port,
  family: address.family,
  noDelay: true,
  autoSelectFamily: false,
  lookup: lookNothingUp,
});

const failureOf = (error: NodeJS.ErrnoException): Dialled => {
  switch (error.code) {
    case "ECONNREFUSED":
      return { kind: "failed", reason: "CONNECT_REFUSED" };
    case "ETIMEDOUT":
      return TIMED_OUT;
    default:
      return FAILED;
  }
};
