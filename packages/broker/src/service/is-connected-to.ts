import type { Socket } from "node:net";
import type { IpAddress } from "../address/address.js";
import { parseIp } from "../address/ip-text.js";

/**
 * Whether the kernel says that a socket's peer is the address that was checked. Guard: what was
 * read back counts, not what was asked for.
 */
export const isConnectedTo = (
  { remoteAddress, remotePort }: Pick<Socket, "remoteAddress" | "remotePort">,
  address: IpAddress,
  port: number,
): boolean => {
  const peer = parseIp(remoteAddress ?? "");
  return (
    peer?.family === address.family &&
    Buffer.compare(peer.bytes, address.bytes) === 0 &&
    remotePort === port
  );
};
