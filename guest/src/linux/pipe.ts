import { closeSync, constants, openSync } from "node:fs";
import { Socket } from "node:net";

/**
 * The other end of a helper's pipe, opened through /proc: Node hands its children sockets, but
 * commands expect pipes (they reopen /dev/stdout), and only from a pipe can the kernel splice.
 */
export const pipeOf = (
  pid: number,
  descriptor: string | undefined,
  use: "read" | "write",
): Socket => {
  const flags = use === "read" ? constants.O_RDONLY : constants.O_WRONLY;
  const fd = openSync(`/proc/${pid}/fd/${descriptor}`, flags | constants.O_NONBLOCK);
  try {
    const socket = new Socket({ fd, readable: use === "read", writable: use === "write" });
    // A command that closes its input is no failure of the agent; the pipeline sees it too.
    socket.on("error", () => undefined);
    return socket;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
};
