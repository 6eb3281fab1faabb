import type { EtherType, Family, Hook, Packet, Realisation } from "../../model/index.js";

/** One hook that a packet passes, and the names that rules see there; "" where there is none. */
export interface Visit {
  readonly family: Family;
  readonly hook: Hook;
  readonly iifname: string;
  readonly oifname: string;
  readonly ibrname: string;
  readonly obrname: string;
  /** Chains of these priorities, `from` included, `below` not. */
  readonly from: number;
  readonly below: number;
}

/** The part of a packet that says where it came by and where it goes. */
export type Way = Pick<
  Packet,
  "path" | "inPort" | "inBridge" | "inInterface" | "outPort" | "outBridge" | "outInterface"
>;

/** NF_BR_PRI_BRNF: where br_netfilter hands a bridge's packets to the hooks of IP. */
const BRIDGE_NETFILTER = 0;

/**
 * The hooks in their order, as in the kernel's br_input.c, br_forward.c, ip_forward.c and
 * br_netfilter_hooks.c. With br_netfilter a bridge's IP packets also pass IP's hooks, as if they
 * were routed from the bridge to itself; its own hooks before and after that keep their order.
 */
export const traversalOf = (
  way: Way,
  etherType: EtherType | "other",
  realisation: Realisation,
): readonly Visit[] => {
  const isIp = etherType === "ip" || etherType === "ip6";
  const called = realisation === "br_netfilter" && isIp;
  const inBridge = way.inBridge ?? "";
  const outBridge = way.outBridge ?? "";
  const bridge = (hook: Hook, iifname: string | null, oifname: string | null): Visit => ({
    family: "bridge",
    hook,
    iifname: iifname ?? "",
    oifname: oifname ?? "",
    ibrname: iifname === null ? "" : inBridge,
    obrname: oifname === null ? "" : outBridge,
    from: Number.NEGATIVE_INFINITY,
    below: Number.POSITIVE_INFINITY,
  });
  const inet = (hook: Hook, iifname: string | null, oifname: string | null): Visit => ({
    ...bridge(hook, iifname, oifname),
    family: "inet",
    ibrname: "",
    obrname: "",
  });
  const around = (own: Visit, handed: Visit): readonly Visit[] =>
    called
      ? [{ ...own, below: BRIDGE_NETFILTER }, handed, { ...own, from: BRIDGE_NETFILTER }]
      : [own];

  const arrival = (): readonly Visit[] => {
    if (way.inBridge === null) return isIp ? [inet("prerouting", way.inInterface, null)] : [];
    return [
      ...around(bridge("prerouting", way.inPort, null), inet("prerouting", way.inBridge, null)),
      bridge("input", way.inPort, null),
      ...(isIp && !called ? [inet("prerouting", way.inBridge, null)] : []),
    ];
  };
  const departure = (): readonly Visit[] => [
    ...(isIp
      ? [inet("postrouting", way.inBridge ?? way.inInterface, way.outBridge ?? way.outInterface)]
      : []),
    ...(way.outBridge === null
      ? []
      : [bridge("output", null, way.outPort), bridge("postrouting", null, way.outPort)]),
  ];

  switch (way.path) {
    case "bridged":
      return [
        ...around(bridge("prerouting", way.inPort, null), inet("prerouting", way.inBridge, null)),
        ...around(
          bridge("forward", way.inPort, way.outPort),
          inet("forward", way.inBridge, way.outBridge),
        ),
        bridge("postrouting", null, way.outPort),
        ...(called ? [inet("postrouting", null, way.outBridge)] : []),
      ];
    case "routed":
      return [
        ...arrival(),
        inet("forward", way.inBridge ?? way.inInterface, way.outBridge ?? way.outInterface),
        ...departure(),
      ];
    case "to-host":
      return [
        ...arrival(),
        ...(isIp ? [inet("input", way.inBridge ?? way.inInterface, null)] : []),
      ];
    case "link-local":
      return [
        bridge("input", way.inPort, null),
        ...(isIp ? [inet("prerouting", way.inPort, null), inet("input", way.inPort, null)] : []),
      ];
    case "from-host":
      return [
        ...(isIp ? [inet("output", null, way.outBridge ?? way.outInterface)] : []),
        ...departure(),
      ];
  }
};

/** NF_IP_PRI_CONNTRACK. */
const CONNTRACK = -200;

/**
 * Whether connection tracking has seen a packet where a chain looks at it. Until then its state is
 * `invalid`, as it is of whatever isn't IP (nft_ct.c). At the same priority it depends on which was
 * loaded first, so nothing may rest on it there.
 */
export const isTracked = ({ hook }: Visit, priority: number): boolean =>
  (hook !== "prerouting" && hook !== "output") || priority > CONNTRACK;
