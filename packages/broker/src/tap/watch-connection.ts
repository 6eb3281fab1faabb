import type { Duplex } from "node:stream";
import { type CanarySighting, type CompiledCanaries, createCanaryWatch } from "../canary/index.js";
import { type Direction, tap } from "./tap.js";

/**
 * A connection that is cut at the first sight of a canary, in either direction. The bytes in which
 * it was seen don't pass; those before them, a part of it among them, have.
 */
export const watchConnection = (
  client: Duplex,
  canaries: CompiledCanaries,
  onSighting: (sighting: CanarySighting, direction: Direction) => void,
): Duplex => {
  const watches = { up: createCanaryWatch(canaries), down: createCanaryWatch(canaries) };
  return tap(client, new Uint8Array(), (direction, bytes) => {
    const [sighting] = watches[direction].push(bytes);
    if (sighting === undefined) return true;
    onSighting(sighting, direction);
    return false;
  });
};
