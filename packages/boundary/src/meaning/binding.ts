import type { BoundAttachment, Ground, Packet } from "../model/index.js";

type Difference = Extract<Ground, { kind: "binding" }>["differs"];

/**
 * Where a frame isn't what the port that it came by is bound to. ARP's payload is bound as well (RFC
 * 826: receivers believe the sender's addresses in it, whatever the Ethernet header says).
 */
export const departsFromBinding = (
  { mac, ipv4 }: BoundAttachment,
  packet: Packet,
): Difference | null => {
  if (packet.sourceMac !== mac) return "mac";
  switch (packet.etherType) {
    case "ip":
      return packet.source === ipv4 ? null : "address";
    case "arp":
      return packet.arpMac === mac && packet.source === ipv4 ? null : "arp";
    case "ip6":
    case "other":
      return "ether-type";
  }
};
