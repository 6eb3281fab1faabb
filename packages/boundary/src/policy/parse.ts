import { readUserFile } from "@drydock/document";
import { digestOf } from "@drydock/evidence";
import type { BoundaryCode } from "../codes.js";
import { type AppliancePolicy, type Ipv4, parseIpv4, ZONES, type Zone } from "../model/index.js";
import { checkPolicy } from "./check.js";
import { readDnsName } from "./dns-name.js";
import { appliancePolicySchema, type PolicyDocument } from "./schema.js";
import { readSelector } from "./selector.js";

/**
 * Reads `aptl.appliance-boundary/v1`, JSON or YAML. It carries no signature: a release manifest
 * names its digest, and somebody signs that.
 *
 * @param file as the user named it, for messages.
 * @throws DrydockError POLICY_…, or FILE_… for the file's form; each finding as
 * `file:line:column: CODE: what`, one a line.
 */
export const parseAppliancePolicy = (
  bytes: Uint8Array,
  { file }: { readonly file: string },
): AppliancePolicy => {
  const { value, lineOf, refuse } = readUserFile(bytes, appliancePolicySchema, file, { codeOf });
  const findings = checkPolicy(value);
  if (findings.length > 0) return refuse(findings);
  return {
    digest: digestOf(bytes),
    id: value.policy_id,
    generation: value.generation,
    workbenchPolicyVersion: value.workbench_policy_version,
    networks: eachZone((zone) => readSelector(value.platform_networks[zone])),
    anchors: eachZone((zone) => readSelector(value.platform_anchors[zone])),
    crossings: value.fixed_crossings.map(({ ports, ...crossing }, index) => ({
      ...crossing,
      ports: [...ports].sort((a, b) => a - b),
      line: lineOf(["fixed_crossings", index]),
    })),
    egressAuthorities: value.egress_authorities.map(({ authority, port, purpose }, index) => ({
      authority: readDnsName(authority) ?? authority,
      port,
      purpose,
      line: lineOf(["egress_authorities", index]),
    })),
    egressResolvers: value.egress_resolvers.map(addressOf),
    egressLimits: limitsOf(value),
    publications: value.guest_publications.map(({ address, ...publication }) => ({
      ...publication,
      address: addressOf(address),
    })),
    hostMcpContract: value.host_mcp_contract,
    allowedHolders: value.docker_authority.allowed_holder_labels.map(readSelector),
    observationFreshnessSeconds: value.observation_freshness_seconds,
    allowHostNetwork: value.allow_host_network,
  };
};

const eachZone = <T>(make: (zone: Zone) => T): Readonly<Record<Zone, T>> => {
  const [participant, management, egress] = ZONES;
  return {
    participant: make(participant),
    management: make(management),
    egress: make(egress),
  };
};

/** For a text that the schema accepted. */
const addressOf = (text: string): Ipv4 => parseIpv4(text) ?? 0;

const limitsOf = ({
  egress_proxy_limits: limits,
}: PolicyDocument): AppliancePolicy["egressLimits"] => ({
  maxConnections: limits.max_connections,
  maxHeaderBytes: limits.max_header_bytes,
  headerTimeoutSeconds: limits.header_timeout_seconds,
  connectTimeoutSeconds: limits.connect_timeout_seconds,
  idleTimeoutSeconds: limits.idle_timeout_seconds,
});

const CODES: ReadonlyMap<PropertyKey | undefined, BoundaryCode> = new Map([
  ["schema_version", "POLICY_SCHEMA_VERSION"],
  ["policy_id", "POLICY_ID_INVALID"],
  ["generation", "POLICY_GENERATION_INVALID"],
  ["workbench_policy_version", "POLICY_WORKBENCH_VERSION_INVALID"],
  ["default_deny", "POLICY_DEFAULT_DENY_REQUIRED"],
  ["platform_networks", "POLICY_SELECTOR_INVALID"],
  ["platform_anchors", "POLICY_SELECTOR_INVALID"],
  ["fixed_crossings", "POLICY_CROSSING_INVALID"],
  ["egress_authorities", "POLICY_AUTHORITY_INVALID"],
  ["egress_proxy_limits", "POLICY_LIMITS_INVALID"],
  ["guest_publications", "POLICY_PUBLICATION_INVALID"],
  ["host_mcp_contract", "POLICY_HOST_MCP_MISMATCH"],
  ["docker_authority", "POLICY_HOLDERS_INVALID"],
  ["egress_resolvers", "POLICY_RESOLVER_INVALID"],
  ["observation_freshness_seconds", "POLICY_FRESHNESS_INVALID"],
  ["allow_host_network", "POLICY_HOST_NETWORK_INVALID"],
]);

const codeOf = (path: readonly PropertyKey[]): BoundaryCode | null => {
  const [part, , key] = path;
  if (part === "fixed_crossings" && (key === "source" || key === "destination")) {
    return "POLICY_CROSSING_INEXPRESSIBLE";
  }
  return CODES.get(part) ?? null;
};
