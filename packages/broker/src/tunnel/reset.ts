import type { Duplex } from "node:stream";

/** A TCP socket can reset; a stream of a channel does so when it is destroyed before its end. */
type Resettable = Duplex & { resetAndDestroy?: () => unknown };

/**
 * Ends a stream so that its peer sees a reset and not the end of the data. Guard: a client whose
 * tunnel was refused or cut must not take what it got for all there was.
 */
export const resetStream = (stream: Duplex): void => {
  const { destroyed, writableEnded, writableFinished } = stream;
  if (destroyed) return;
  const socket: Resettable = stream;
  // libuv refuses to reset while a half-close waits for its turn, and would keep the descriptor.
  const halfClosing = writableEnded && !writableFinished;
  if (socket.resetAndDestroy === undefined || halfClosing) stream.destroy(new Error("reset"));
  else socket.resetAndDestroy();
};
