import type { EventEmitter } from "node:events";

/**
 * Resolves when a socket closes, by an end or by a reset: which of them the kernel sends depends on
 * what was unread. `events.once` rejects on the second. For tests that care about neither.
 */
export const closed = (socket: Pick<EventEmitter, "once" | "on">): Promise<void> => {
  socket.on("error", () => undefined);
  return new Promise((resolve) => {
    socket.once("close", () => resolve());
  });
};
