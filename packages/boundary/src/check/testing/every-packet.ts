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

/**
 * Each packet of a small world, without any thought about which of them are alike: all interfaces,
 * MACs, addresses and ports that are named, some that aren't, in every combination.
 *
 * @param ports beside which 1 is tried
 */
export function* everyPacket(
  { scenario, platform }: Boundary,
  ports: readonly number[],
): Generator<Packet> {
  const networks: readonly BoundNetwork[] = [
    ...(scenario?.networks ?? []),
    ...Object.values(platform?.networks ?? {}),
  ];
  const attachments: readonly BoundAttachment[] = [
    ...(scenario?.attachments ?? []),
    ...(platform?.attachments ?? []),
  ];
  const macs = [...attachments.map(({ mac }) => mac), STRANGE_MAC];
  const addresses: readonly Ipv4[] = [
    ...new Set([
      0,
      8 * 2 ** 24,
      ...attachments.map(({ ipv4 }) => ipv4),
      ...networks.map(({ cidr }) => lastOf(cidr)),
      ...(platform?.egress?.resolvers ?? []),
      ...(platform === null ? [] : SPECIAL_RANGES.slice(1, 3).map(lastOf)),
    ]),
  ];
  const ends: readonly Ends[] = [
    ...networks.flatMap(({ bridge }) =>
      [
        ...attachments.filter((attached) => attached.bridge === bridge).map(({ port }) => port),
        "rogue1",
        "rogue2",
      ].map((port) => ({ port, bridge, interface: null })),
    ),
    { port: "rogue1", bridge: "docker0", interface: null },
    { port: "rogue2", bridge: "docker0", interface: null },
    { port: null, bridge: null, interface: "eth0" },
  ];
  const nowhere: Ends = { port: null, bridge: null, interface: null };

  for (const from of [...ends, nowhere]) {
    for (const to of [...ends, nowhere]) {
      const isBridged = from.bridge !== null && from.bridge === to.bridge && from.port !== to.port;
      const paths: readonly Packet["path"][] =
        from === nowhere
          ? to === nowhere
            ? []
            : ["from-host"]
          : to === nowhere
            ? ["to-host"]
            : isBridged
              ? ["bridged", "routed"]
              : ["routed"];
      for (const path of paths) {
        const way = {
          path,
          inPort: from.port,
          inBridge: from.bridge,
          inInterface: from.interface,
          outPort: to.port,
          outBridge: to.bridge,
          outInterface: to.interface,
        };
        for (const sourceMac of macs) {
          const frame = { ...way, sourceMac, arpMac: sourceMac, source: 0, destination: 0 };
          const rest = { protocol: "other", port: 0, state: "invalid" } as const;
          if (path !== "routed" && (from.bridge ?? to.bridge) !== null) {
            yield { ...frame, ...rest, etherType: "other" };
            for (const arpMac of macs) {
              for (const source of addresses) {
                yield { ...frame, ...rest, etherType: "arp", arpMac, source };
              }
            }
          }
          for (const [protocol, port] of services(ports)) {
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
  }
}

const services = (ports: readonly number[]): readonly [Protocol | "other", number][] => [
  ...[1, ...ports].flatMap((port): [Protocol, number][] => [
    ["tcp", port],
    ["udp", port],
  ]),
  ["icmp", 0],
  ["other", 0],
];
