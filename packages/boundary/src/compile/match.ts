import type { Cidr, CtState, EtherType, Ipv4, Match, Protocol } from "../model/index.js";

/** Matches in short. Sets come as they are: the seal gives each its one spelling. */

export const iifname = (...is: readonly string[]): Match => named("iifname", is, false);
export const notIifname = (...is: readonly string[]): Match => named("iifname", is, true);
export const oifname = (...is: readonly string[]): Match => named("oifname", is, false);
export const notOifname = (...is: readonly string[]): Match => named("oifname", is, true);
export const ibrname = (...is: readonly string[]): Match => named("ibrname", is, false);
export const notIbrname = (...is: readonly string[]): Match => named("ibrname", is, true);
export const obrname = (...is: readonly string[]): Match => named("obrname", is, false);

const named = (
  kind: "iifname" | "oifname" | "ibrname" | "obrname",
  is: readonly string[],
  not: boolean,
): Match => ({ kind, is: is, not });

export const etherSource = (...is: readonly string[]): Match => ({
  kind: "ether-source",
  is: is,
  not: false,
});

export const arpSenderEther = (...is: readonly string[]): Match => ({
  kind: "arp-sender-ether",
  is: is,
  not: false,
});

export const etherType = (is: EtherType): Match => ({ kind: "ether-type", is: [is], not: false });
export const notEtherType = (is: EtherType): Match => ({ kind: "ether-type", is: [is], not: true });

export const arpSenderIp = (...is: readonly Cidr[]): Match => ({
  kind: "arp-sender-ip",
  is,
  not: false,
});

export const ipSource = (...is: readonly Cidr[]): Match => ({
  kind: "ip-source",
  is: is,
  not: false,
});

export const ipDestination = (...is: readonly Cidr[]): Match => ({
  kind: "ip-destination",
  is: is,
  not: false,
});

export const notIpDestination = (...is: readonly Cidr[]): Match => ({
  kind: "ip-destination",
  is: is,
  not: true,
});

/** One address as a block. */
export const host = (base: Ipv4): Cidr => ({ base, prefix: 32 });

export const l4proto = (is: Protocol): Match => ({ kind: "l4proto", is: [is], not: false });

export const destinationPort = (protocol: "tcp" | "udp", ports: readonly number[]): Match => ({
  kind: "destination-port",
  protocol,
  is: ports.map((port) => ({ first: port, last: port })),
});

export const ctState = (is: CtState): Match => ({ kind: "ct-state", is: [is], not: false });

export const nfproto = (is: "ipv4" | "ipv6"): Match => ({ kind: "nfproto", is });

export const marked = (bit: number): Match => ({ kind: "mark", mask: bit, value: bit, not: false });
export const unmarked = (bit: number): Match => ({
  kind: "mark",
  mask: bit,
  value: bit,
  not: true,
});
