import type { BoundAttachment, Packet } from "../model/index.js";

/**
 * Whether IPv4 ends where its destination address is held: on that network and, where the port is
 * known, behind that port. A node also answers to addresses of its other networks (RFC 1122
 * 3.3.4.2, the weak model), so a frame to the wrong network would go around rules that name one.
 */
export const isDelivered = (receiver: BoundAttachment, packet: Packet): boolean =>
  receiver.bridge === packet.outBridge &&
  receiver.ipv4 === packet.destination &&
  (packet.outPort === null || receiver.port === packet.outPort);
