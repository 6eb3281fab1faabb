import type { UnixConnection } from "./unix-connections.js";

/** Numbers of the sockets that a process has open. */
export type Sockets = ReadonlySet<number>;

/**
 * Whether a containerd beside the bound engine is the engine's own, as it is where systemd starts
 * both: the engine talks to it, and through the socket that the engine uses nobody else does. A
 * containerd with another client takes orders that no policy names.
 */
export const isEnginesContainerd = (
  containerd: Sockets,
  engine: Sockets,
  connections: readonly UnixConnection[],
): boolean => {
  const accepted = connections.filter(
    ({ inode, acceptedOn }) => acceptedOn !== null && containerd.has(inode),
  );
  const places = new Set(
    accepted.filter(({ peer }) => engine.has(peer)).map(({ acceptedOn }) => acceptedOn),
  );
  const there = accepted.filter(({ acceptedOn }) => places.has(acceptedOn));
  return there.length > 0 && there.every(({ peer }) => engine.has(peer));
};
