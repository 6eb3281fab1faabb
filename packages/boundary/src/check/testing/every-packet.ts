import fc from "fast-check";
import type { Boundary } from "../../meaning/index.js";
import {
  type BoundAttachment,
  type BoundNetwork,
  type Ipv4,
  lastOf,
  type Packet,
  type Protocol,
  SPECIAL_RANGES,
} from "../../model/index.js";

const STATES = ["new", "established", "related", "invalid", "untracked"] as const;
const STRANGE_MAC = "0e:00:00:00:00:77";

interface Ends {
  readonly port: string | null;
  readonly bridge: string | null;
  readonly interface: string | null;
}

type Way = Pick<
  Packet,
  "path" | "inPort" | "inBridge" | "inInterface" | "outPort" | "outBridge" | "outInterface"
>;

/** All that is named in a boundary, and something of each kind that isn't. */
export interface World {
  readonly ways: readonly Way[];
  readonly macs: readonly string[];
  readonly addresses: readonly Ipv4[];
  readonly services: readonly (readonly [Protocol | "other", number])[];
}

const NOWHERE: Ends = { port: null, bridge: null, interface: null };

/** Routed from anywhere to anywhere, bridged between two ports of a bridge, from and to the host. */
const pathsBetween = (from: Ends, to: Ends): readonly Packet["path"][] => {
  if (from === NOWHERE) return to === NOWHERE ? [] : ["from-host"];
  if (to === NOWHERE) return from.bridge === null ? ["to-host"] : ["to-host", "link-local"];
  const isBridged = from.bridge !== null && from.bridge === to.bridge && from.port !== to.port;
  return isBridged ? ["bridged", "routed"] : ["routed"];
};

const waysAmong = (ends: readonly Ends[]): readonly Way[] =>
  ends.flatMap((from) =>
    ends.flatMap((to) =>
      pathsBetween(from, to).map((path) => ({
        path,
        inPort: from.port,
        inBridge: from.bridge,
        inInterface: from.interface,
        outPort: to.port,
        outBridge: to.bridge,
        outInterface: to.interface,
      })),
    ),
  );

/** @param ports beside which 1 is tried */
export const worldOf = ({ scenario, platform }: Boundary, ports: readonly number[]): World => {
  const networks: readonly BoundNetwork[] = [
    ...(scenario?.networks ?? []),
    ...Object.values(platform?.networks ?? {}),
  ];
  const attachments: readonly BoundAttachment[] = [
    ...(scenario?.attachments ?? []),
    ...(platform?.attachments ?? []),
  ];
  const portsOf = (bridge: string) =>
    attachments.filter((attached) => attached.bridge === bridge).map(({ port }) => port);
  const ends: readonly Ends[] = [
    ...networks.flatMap(({ bridge }) =>
      [...portsOf(bridge), "rogue1", "rogue2"].map((port) => ({ port, bridge, interface: null })),
    ),
    { port: "rogue1", bridge: "docker0", interface: null },
    { port: "rogue2", bridge: "docker0", interface: null },
    { port: null, bridge: null, interface: "eth0" },
    NOWHERE,
  ];
  return {
    ways: waysAmong(ends),
    macs: [...attachments.map(({ mac }) => mac), STRANGE_MAC],
    addresses: [
      ...new Set([
        0,
        8 * 2 ** 24,
        ...attachments.map(({ ipv4 }) => ipv4),
        ...networks.map(({ cidr }) => lastOf(cidr)),
        ...(platform?.egress?.resolvers ?? []),
        ...(platform === null ? [] : SPECIAL_RANGES.slice(1, 3).map(lastOf)),
      ]),
    ],
    services: [
      ...[1, ...ports].flatMap((port): [Protocol, number][] => [
        ["tcp", port],
        ["udp", port],
      ]),
      ["icmp", 0],
      ["other", 0],
    ],
  };
};

const UNUSED = { source: 0, destination: 0, protocol: "other", port: 0, state: "invalid" } as const;

/** Only IP is routed, or comes by what is no bridge. */
const bearsOther = ({ path, inBridge, outBridge }: Way): boolean =>
  path !== "routed" && (inBridge ?? outBridge) !== null;

/** Each packet of a small world, without any thought about which of them are alike. */
export function* everyPacket({ ways, macs, addresses, services }: World): Generator<Packet> {
  for (const way of ways) {
    for (const sourceMac of macs) {
      const frame = { ...way, ...UNUSED, sourceMac, arpMac: sourceMac };
      if (bearsOther(way)) {
        yield { ...frame, etherType: "other" };
        for (const arpMac of macs) {
          for (const source of addresses) yield { ...frame, etherType: "arp", arpMac, source };
        }
      }
      for (const [protocol, port] of services) {
        for (const state of STATES) {
          yield { ...frame, etherType: "ip6", protocol, port, state };
          for (const source of addresses) {
            for (const destination of addresses) {
              yield { ...frame, etherType: "ip", protocol, port, state, source, destination };
            }
          }
        }
      }
    }
  }
}

/** Any of them. */
export const anyPacketOf = ({ ways, macs, addresses, services }: World): fc.Arbitrary<Packet> =>
  fc
    .record({
      way: fc.constantFrom(...ways),
      etherType: fc.constantFrom("ip", "ip", "ip", "ip6", "arp", "other"),
      sourceMac: fc.constantFrom(...macs),
      arpMac: fc.constantFrom(...macs),
      source: fc.constantFrom(...addresses),
      destination: fc.constantFrom(...addresses),
      service: fc.constantFrom(...services),
      state: fc.constantFrom(...STATES),
    })
    .map(({ way, etherType, service: [protocol, port], ...header }): Packet => {
      const isOther = (etherType === "arp" || etherType === "other") && !bearsOther(way);
      return { ...way, ...header, etherType: isOther ? "ip" : etherType, protocol, port };
    });
