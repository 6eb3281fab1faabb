import { quote } from "@drydock/evidence";
import { refuse } from "../codes.js";
import {
  type BoundNetwork,
  contains,
  firstOf,
  formatCidr,
  lastOf,
  type ObservedNetwork,
  type ObservedTopology,
  type PlanAddress,
} from "../model/index.js";

/** IFNAMSIZ without its zero byte, and nothing that nft or a shell reads otherwise. */
const INTERFACE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,14}$/;

export const isInterfaceName = (text: string): boolean => INTERFACE_NAME.test(text);

/**
 * The bridge behind a network.
 *
 * @throws DrydockError BIND_IPV6, BIND_BRIDGE_UNOBSERVABLE
 */
export const bindNetwork = (observed: ObservedNetwork, address: PlanAddress): BoundNetwork => {
  const { name, driver, bridge, ipv4: cidr, gateway, hasIpv6 } = observed;
  if (hasIpv6) {
    return refuse("BIND_IPV6", `network ${quote(name)} has IPv6, which no authority rules`, {
      fix: "Make it again without IPv6.",
    });
  }
  const gap = (what: string): never =>
    refuse("BIND_BRIDGE_UNOBSERVABLE", `network ${quote(name)} ${what}`, {
      fix: "Make it again, with the bridge driver, one IPv4 subnet and a gateway.",
    });
  if (driver !== "bridge") return gap(`has driver ${quote(driver)}`);
  if (bridge === null || !isInterfaceName(bridge)) return gap("has no bridge that a rule can name");
  if (cidr === null || gateway === null) return gap("has no IPv4 subnet with a gateway");
  if (!contains(cidr, gateway)) return gap("has its gateway elsewhere");
  return { address, bridge, cidr, gateway };
};

/**
 * Rules tell networks apart by bridge and by address: neither may be two networks'. All that were
 * observed count, since a packet doesn't ask whom its bridge belongs to.
 *
 * @throws DrydockError BIND_BRIDGE_SHARED, BIND_SUBNET_OVERLAP
 */
export const refuseSharedNetworks = (
  bound: readonly (readonly [BoundNetwork, ObservedNetwork])[],
  { networks }: ObservedTopology,
): void => {
  for (const [{ bridge, cidr }, { id, name }] of bound) {
    for (const other of networks) {
      if (other.id === id) continue;
      if (other.bridge === bridge) {
        refuse("BIND_BRIDGE_SHARED", `${quote(name)} and ${quote(other.name)} share ${bridge}`, {
          fix: "Make one of them again.",
        });
      }
      if (
        other.ipv4 !== null &&
        firstOf(cidr) <= lastOf(other.ipv4) &&
        firstOf(other.ipv4) <= lastOf(cidr)
      ) {
        refuse(
          "BIND_SUBNET_OVERLAP",
          `${quote(name)} has ${formatCidr(cidr)}, ${quote(other.name)} has ${formatCidr(other.ipv4)}`,
          { fix: "Give one of them another block." },
        );
      }
    }
  }
};
