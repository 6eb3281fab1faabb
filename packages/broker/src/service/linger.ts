import type { Duplex } from "node:stream";
import type { Timers } from "../timers.js";

/** How long a client may take to read its answer, and how much of what it still sends is dropped. */
const LINGER_MS = 2_000;
const LINGER_BYTES = 256 * 1024;

/**
 * Sends the last bytes of a connection and closes it. A socket that is closed while bytes wait
 * unread resets, and a reset takes the answer with it: so what comes is dropped for a while
 * (RFC 9112 §9.6).
 */
export const closeWith = (client: Duplex, bytes: Uint8Array, timers: Timers): void => {
  if (client.destroyed) return;
  let dropped = 0;
  const cancel = timers.after(LINGER_MS, () => client.destroy());
  client.on("data", (chunk: Buffer) => {
    dropped += chunk.length;
    if (dropped > LINGER_BYTES) client.destroy();
  });
  client.once("close", cancel);
  if (bytes.length === 0) client.end();
  else client.end(bytes);
  client.resume();
};
