export type HttpMethod = "PATCH" | "POST" | "PUT" | "DELETE";

const endpoint = <const M extends HttpMethod>(path: string, methods: readonly M[]) => ({
  path,
  methods,
});

/**
 * Everything that may be written to, and how. A write names its symbol, so that no text from
 * anywhere becomes a path; what isn't listed can't be sent.
 */
export const ENDPOINTS = {
  FIREWALL_ALIAS: endpoint("/api/v2/firewall/alias", ["PATCH"]),
  /** Exists on no appliance: the synthetic adapter's. */
  SYNTHETIC_NOTICE: endpoint("/api/v2/synthetic/notice", ["PUT"]),
} as const;

export type EndpointSymbol = keyof typeof ENDPOINTS;

/** Everything that may be read. Values go into the query, never into the path. */
export const READ_PATHS = [
  "/api/v2/diagnostics/config_history/revisions",
  "/api/v2/firewall/aliases",
  "/api/v2/firewall/apply",
  "/api/v2/firewall/nat/one_to_one/mappings",
  "/api/v2/firewall/nat/outbound/mappings",
  "/api/v2/firewall/nat/outbound/mode",
  "/api/v2/firewall/nat/port_forwards",
  "/api/v2/firewall/rules",
  "/api/v2/routing/static_routes",
  "/api/v2/synthetic/notice",
  "/api/v2/system/restapi/settings",
  "/api/v2/system/restapi/version",
  "/api/v2/system/version",
  "/api/v2/vpn/openvpn/clients",
  "/api/v2/vpn/openvpn/servers",
] as const;

export type ApiPath = (typeof READ_PATHS)[number];
