import { type AppliancePolicy, formatIpv4, type LabelSelector, type Zone } from "../model/index.js";
import { HOST_MCP_CONTRACT, POLICY_SCHEMA, type PolicyInput } from "./schema.js";
import { formatSelector } from "./selector.js";

/** The policy as its owner could have written it, with every default written out. */
export const policyDocument = (policy: AppliancePolicy): PolicyInput => ({
  schema_version: POLICY_SCHEMA,
  policy_id: policy.id,
  generation: policy.generation,
  workbench_policy_version: policy.workbenchPolicyVersion,
  default_deny: true,
  platform_networks: selectors(policy.networks),
  platform_anchors: selectors(policy.anchors),
  fixed_crossings: policy.crossings.map(({ source, destination, protocol, ports, purpose }) => {
    const rest = { protocol, ports: [...ports], purpose };
    return source === "participant" && destination === "management"
      ? { source, destination, ...rest }
      : { source: "management", destination: "egress", ...rest };
  }),
  egress_authorities: policy.egressAuthorities.map(({ authority, port, purpose }) => ({
    source: "egress",
    authority,
    protocol: "tcp",
    port,
    purpose,
    resolution: "proxy-resolved-all-global",
    failure_disposition: "deny",
  })),
  egress_proxy_limits: {
    max_connections: policy.egressLimits.maxConnections,
    max_header_bytes: policy.egressLimits.maxHeaderBytes,
    header_timeout_seconds: policy.egressLimits.headerTimeoutSeconds,
    connect_timeout_seconds: policy.egressLimits.connectTimeoutSeconds,
    idle_timeout_seconds: policy.egressLimits.idleTimeoutSeconds,
  },
  guest_publications: policy.publications.map(({ audience, address, port, protocol }) => ({
    audience,
    address: formatIpv4(address),
    port,
    protocol,
  })),
  host_mcp_contract: policy.hostMcpContract === null ? null : HOST_MCP_CONTRACT,
  docker_authority: {
    allowed_holder_labels: policy.allowedHolders.map(formatSelector),
    require_guest_daemon: true,
  },
  egress_resolvers: policy.egressResolvers.map(formatIpv4),
  observation_freshness_seconds: policy.observationFreshnessSeconds,
  allow_host_network: policy.allowHostNetwork,
});

const selectors = ({ participant, management, egress }: Readonly<Record<Zone, LabelSelector>>) => ({
  participant: formatSelector(participant),
  management: formatSelector(management),
  egress: formatSelector(egress),
});
