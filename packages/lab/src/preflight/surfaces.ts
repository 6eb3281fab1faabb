import type { ApiPath } from "@drydock/acceptance";

/** One place that may name an alias, and where it can be read. */
export interface Surface {
  readonly surface: string;
  readonly path: ApiPath;
  /** Keys of free text, in which a name is only a word. */
  readonly prose: readonly string[];
}

const REMARKS = ["descr"] as const;

/**
 * Every place with an endpoint that may name an alias. All text of each object is searched, not
 * only the fields known to take an alias: a field that another version of the package adds is
 * searched as well.
 */
export const SURFACES: readonly Surface[] = [
  // A detail is a remark about the member beside it.
  { surface: "firewall_aliases", path: "/api/v2/firewall/aliases", prose: ["descr", "detail"] },
  { surface: "firewall_rules", path: "/api/v2/firewall/rules", prose: REMARKS },
  { surface: "nat_port_forwards", path: "/api/v2/firewall/nat/port_forwards", prose: REMARKS },
  {
    surface: "nat_outbound_mappings",
    path: "/api/v2/firewall/nat/outbound/mappings",
    prose: REMARKS,
  },
  {
    surface: "nat_one_to_one_mappings",
    path: "/api/v2/firewall/nat/one_to_one/mappings",
    prose: REMARKS,
  },
  { surface: "static_routes", path: "/api/v2/routing/static_routes", prose: REMARKS },
  {
    surface: "openvpn_servers",
    path: "/api/v2/vpn/openvpn/servers",
    prose: ["description", "descr"],
  },
  {
    surface: "openvpn_clients",
    path: "/api/v2/vpn/openvpn/clients",
    prose: ["description", "descr"],
  },
];

/**
 * What no endpoint shows whole; an operator's attestation speaks of it. Reading more places doesn't
 * shorten this list.
 */
export const UNCOVERED_SURFACES = [
  "other_operational_configuration",
  "routing",
  "services",
  "vpn",
] as const;

/** Places known to be able to name an alias without an endpoint that is searched. */
export const UNCOVERED_PLACES = [
  "captive portal",
  "gateway monitoring",
  "installed packages",
  "IPsec phase 2",
  "traffic shaper and limiters",
  "user settings of OpenVPN clients",
] as const;
