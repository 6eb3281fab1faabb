import { createConnection, type Socket } from "node:net";
import { vmError } from "../errors.js";

/** Connects to a Unix socket that already listens: no retry, a refusal is an answer. */
export const connectSocket = (path: string): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = createConnection(path);
    const refuse = (cause: Error): void =>
      reject(vmError("VMM_EXITED", `nothing listens on ${path}`, { cause }));
    socket.once("error", refuse);
    socket.once("connect", () => {
      socket.off("error", refuse);
      // Whoever owns the stream hears of the end by "close"; without a listener Node would throw.
      socket.on("error", () => socket.destroy());
      resolve(socket);
    });
  });
