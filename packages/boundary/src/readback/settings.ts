import type { Realisation } from "../model/index.js";
import { type Difference, difference, MAX_DIFFERENCES } from "./difference.js";

/**
 * What rules depend on: a sysctl (`net/ipv4/ip_forward`, with slashes since interface names have
 * dots), a bridge's flag (`bridge/<name>/nf_call_iptables`) or a file of /proc/net (`proc/<name>`).
 */
export interface Setting {
  readonly name: string;
  /** Any of these; null: that there is none. The first is what a realisation writes. */
  readonly allowed: readonly (string | null)[];
  readonly reason: string;
}

/** What a setting was; null: there is none. */
export type ObservedSettings = ReadonlyMap<string, string | null>;

export interface SettingsScope {
  readonly realisation: Realisation;
  /** Names of the bridges that a boundary's networks have. */
  readonly bridges: readonly string[];
  /** Whether anything is allowed to be routed. */
  readonly routes: boolean;
}

/** Everything outside of the tables that their meaning rests on. */
export const expectedSettings = (scope: SettingsScope): readonly Setting[] => [
  ...bridgeSettings(scope),
  ...scope.bridges.map((bridge) => ({
    name: `bridge/${bridge}/no_linklocal_learn`,
    allowed: ["1"],
    reason:
      "a frame to LLDP's group passes no hook, and the bridge would learn a peer's MAC from it",
  })),
  ...(scope.routes
    ? [
        {
          name: "net/ipv4/ip_forward",
          allowed: ["1"],
          reason: "nothing is routed between networks without it",
        },
      ]
    : []),
  {
    name: "net/netfilter/nf_conntrack_helper",
    // Gone since Linux 6.0.
    allowed: ["0", null],
    reason: "a helper that is assigned by port opens ports that no rule names, as `related`",
  },
  ...["ip_tables_names", "ip6_tables_names", "arp_tables_names"].map((name) => ({
    name: `proc/${name}`,
    allowed: [null],
    reason: "rules of iptables-legacy judge too, and nft doesn't list them",
  })),
  {
    // With forwarding on, an interface needs `all` as well (Documentation/networking/ip-sysctl).
    name: "net/ipv4/conf/all/accept_redirects",
    allowed: ["0"],
    reason: "a container could change the host's routes (RFC 1122 3.2.2.2)",
  },
  {
    name: "net/ipv4/conf/all/accept_source_route",
    allowed: ["0"],
    reason: "a packet that chooses its way has another destination than its header says",
  },
];

const bridgeSettings = ({ realisation, bridges }: SettingsScope): readonly Setting[] => {
  switch (realisation) {
    case "br_netfilter":
      return [
        {
          name: "net/bridge/bridge-nf-call-iptables",
          allowed: ["1"],
          reason: "frames between two ports of a bridge are judged in the inet family",
        },
        {
          name: "net/bridge/bridge-nf-call-ip6tables",
          allowed: ["1"],
          reason: "IPv6 between two ports that nobody bound is dropped in the inet family",
        },
        {
          name: "net/bridge/bridge-nf-filter-vlan-tagged",
          allowed: ["0"],
          reason: "a tagged frame would be judged by its inner packet",
        },
        {
          name: "net/bridge/bridge-nf-filter-pppoe-tagged",
          allowed: ["0"],
          reason: "a frame of a PPPoE session would be judged by its inner packet",
        },
      ];
    case "native":
      return [
        ...["iptables", "ip6tables", "arptables"].map((name) => ({
          name: `net/bridge/bridge-nf-call-${name}`,
          // null: br_netfilter isn't loaded.
          allowed: ["0", null],
          reason: "frames would be judged a second time, as if they were routed",
        })),
        ...bridges.flatMap((bridge) =>
          ["nf_call_iptables", "nf_call_ip6tables", "nf_call_arptables"].map((name) => ({
            name: `bridge/${bridge}/${name}`,
            allowed: ["0", null],
            reason: "frames would be judged a second time, as if they were routed",
          })),
        ),
      ];
  }
};

/** @returns [] when every setting is as it has to be */
export const compareSettings = (
  expected: readonly Setting[],
  observed: ObservedSettings,
): readonly Difference[] =>
  expected
    .filter(({ name, allowed }) => {
      const value = observed.get(name);
      // Not observed at all is no absence.
      return value === undefined || !allowed.includes(value);
    })
    .map(({ name, allowed, reason }) =>
      difference(
        "setting",
        { rule: name },
        `${allowed.map((value) => value ?? "absent").join(" or ")}: ${reason}`,
        observed.get(name) ?? (observed.has(name) ? "absent" : "unknown"),
      ),
    )
    .slice(0, MAX_DIFFERENCES);
