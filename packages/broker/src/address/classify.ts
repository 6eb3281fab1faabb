import type { AddressClass, IpAddress } from "./address.js";
import { blockOf } from "./blocks.js";
import { embeddedIpv4 } from "./embedded-ipv4.js";

/**
 * Whether packets to this address leave for the public internet. Guard: global is what the most
 * specific block says is global, and what embeds no IPv4 address that isn't. Everything else,
 * including every IPv6 address outside 2000::/3, is special.
 */
export const classifyAddress = (ip: IpAddress): AddressClass => {
  const inside = embeddedIpv4(ip).map(({ mechanism, ip: ipv4 }) => ({
    mechanism,
    class: classifyAddress(ipv4),
  }));
  const worst = inside.find((entry) => entry.class.kind === "special") ?? inside[0];
  const embedded = worst === undefined ? {} : { embedded: worst.class };
  const block = blockOf(ip);
  if (!block.global) {
    return { kind: "special", name: block.name, block: block.text, ...embedded };
  }
  return worst?.class.kind === "special"
    ? { kind: "special", name: worst.mechanism, block: block.text, ...embedded }
    : { kind: "global", ...embedded };
};
