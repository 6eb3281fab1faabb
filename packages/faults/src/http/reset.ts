import type { Socket } from "node:net";

/**
 * Guard: ends a connection so that its peer sees a reset and not the end of the data. A client that
 * is told a clean end takes what it got for all there was.
 */
export const resetConnection = (socket: Socket): void => {
  if (socket.destroyed) return;
  // libuv refuses to reset while a half-close waits for its turn, and would keep the descriptor.
  if (socket.writableEnded && !socket.writableFinished) socket.destroy();
  else socket.resetAndDestroy();
};
