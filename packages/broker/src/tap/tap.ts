import { Duplex } from "node:stream";
import { resetStream } from "../tunnel/index.js";

/** `up` comes from the client, `down` goes to it. */
export type Direction = "up" | "down";

/**
 * A client's connection, with what was already read of it put back in front, and its bytes seen
 * before they pass; what isn't to pass cuts the connection. Back-pressure goes through both ways.
 *
 * @param see false to cut.
 */
export const tap = (
  client: Duplex,
  first: Uint8Array,
  see: (direction: Direction, bytes: Uint8Array) => boolean,
): Duplex => {
  let drained: (() => void) | null = null;
  const tapped = new Duplex({
    // Half-open, as connections of HTTP may be: who ends one way still gets the answer.
    allowHalfOpen: true,
    read: () => void client.resume(),
    write(chunk: Uint8Array, _encoding, done) {
      if (!see("down", chunk)) cut();
      else if (client.write(chunk)) done();
      else drained = done;
    },
    final(done) {
      client.end();
      done();
    },
    destroy(error, done) {
      client.destroy();
      done(error);
    },
  });
  const cut = (): void => {
    resetStream(client);
    tapped.destroy();
  };
  client.on("drain", () => {
    const done = drained;
    drained = null;
    done?.();
  });
  client.on("data", (chunk: Uint8Array) => {
    if (!see("up", chunk)) cut();
    else if (!tapped.push(chunk)) client.pause();
  });
  client.on("end", () => tapped.push(null));
  client.on("error", (error) => tapped.destroy(error));
  client.on("close", () => tapped.destroy());
  client.pause();
  if (first.length > 0) {
    if (see("up", first)) tapped.push(first);
    else cut();
  }
  return tapped;
};
