import type { Packet } from "./capture.js";
import type { Reach } from "./matrix/model.js";

/** Both directions of one conversation have the same. */
export const flowOf = ({ protocol, from, fromPort, to, toPort }: Packet): string =>
  [protocol, ...[`${from} ${fromPort}`, `${to} ${toPort}`].sort()].join(" ");

/** How far the packets of something got that may ask this resolver, and send elsewhere. */
export const reachOf = (
  packets: readonly Packet[],
  resolver: { readonly address: string; readonly port: number },
): Reach => {
  const elsewhere = packets.filter(
    (packet) => !isTo(packet, resolver) && !isFrom(packet, resolver),
  );
  if (elsewhere.length > 0) {
    return elsewhere.some(({ payload }) => payload > 0) ? "service" : "handshake";
  }
  return packets.length > 0 ? "resolver" : "nothing";
};

interface Place {
  readonly address: string;
  readonly port: number;
}

const isTo = ({ to, toPort }: Packet, { address, port }: Place): boolean =>
  to === address && (toPort === port || toPort === 0);

/** Whatever the resolver's machine sends is its own doing. */
const isFrom = ({ from }: Packet, { address }: Place): boolean => from === address;
