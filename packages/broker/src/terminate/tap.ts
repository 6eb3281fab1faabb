import { Duplex } from "node:stream";

/**
 * A client's connection, with what was already read of it put back in front, and its bytes counted
 * as they pass. Back-pressure passes through in both directions.
 */
export const tap = (
  client: Duplex,
  first: Uint8Array,
  count: (direction: "up" | "down", bytes: number) => void,
): Duplex => {
  let drained: (() => void) | null = null;
  const tapped = new Duplex({
    // Half-open, as connections of HTTP may be: who ends one way still gets the answer.
    allowHalfOpen: true,
    read: () => void client.resume(),
    write(chunk: Uint8Array, _encoding, done) {
      count("down", chunk.length);
      if (client.write(chunk)) done();
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
  client.on("drain", () => {
    const done = drained;
    drained = null;
    done?.();
  });
  client.on("data", (chunk: Uint8Array) => {
    count("up", chunk.length);
    if (!tapped.push(chunk)) client.pause();
  });
  client.on("end", () => tapped.push(null));
  client.on("error", (error) => tapped.destroy(error));
  client.on("close", () => tapped.destroy());
  client.pause();
  count("up", first.length);
  if (first.length > 0) tapped.push(first);
  return tapped;
};
