import { DrydockError } from "@drydock/evidence";

/** What was being done when it was refused. Nothing was changed before `apply`. */
export type Stage =
  | "plan"
  | "policy"
  | "platform"
  | "release"
  | "bind"
  | "ruleset"
  | "kernel"
  | "apply"
  | "probe"
  | "watch";

const code = <S extends Stage>(stage: S, doc: string) => ({ stage, doc });

/**
 * Why an input of the boundary is refused. Codes are stable: people and programs rely on them. What
 * is wrong with a file's form alone is `FILE_…`, as for every file a user names.
 */
export const BOUNDARY_CODES = {
  PLAN_ACL_SHAPE_INVALID: code("plan", "A rule that isn't an object of the known keys."),
  PLAN_ACL_NAME_REPEATED: code("plan", "Two rules of one owner have the same name."),
  PLAN_ACL_ACTION_UNSUPPORTED: code("plan", "An action that is neither allow nor deny."),
  PLAN_ACL_DIRECTION_UNSUPPORTED: code("plan", "A direction other than in, out and inout."),
  PLAN_ACL_PROTOCOL_UNSUPPORTED: code("plan", "A protocol other than any, tcp, udp and icmp."),
  PLAN_ACL_ENDPOINT_UNRESOLVED: code("plan", "An endpoint that names no network of the plan."),
  PLAN_ACL_ENDPOINT_FAMILY_UNSUPPORTED: code("plan", "An endpoint whose addresses aren't IPv4."),
  PLAN_ACL_PORTS_INVALID: code("plan", "Ports that aren't distinct integers from 1 to 65535."),
  PLAN_ACL_PORTS_PROTOCOL_UNSUPPORTED: code("plan", "Ports with a protocol that has none."),
  PLAN_OWNER_AMBIGUOUS: code("plan", "An address that disagrees with its own type or name."),
  PLAN_ENTRY_UNMATCHED: code("plan", "A name in one of nodes and infrastructure, not in both."),
  PLAN_ENTRY_TYPE: code("plan", "A switch with links, or a machine with an address block."),
  PLAN_FAMILY_UNSUPPORTED: code("plan", "A network that isn't IPv4."),
  PLAN_CIDR_INVALID: code("plan", "Not an address block in its one spelling."),
  PLAN_CIDR_UNUSABLE: code("plan", "A block that no network of machines can have."),
  PLAN_CIDR_OVERLAP: code("plan", "Two networks share addresses."),
  PLAN_ADDRESS_INVALID: code("plan", "Not an IPv4 address in its one spelling."),
  PLAN_ADDRESS_OUTSIDE: code("plan", "An address that its network doesn't have for machines."),
  PLAN_ADDRESS_TAKEN: code("plan", "An address that somebody else has."),
  PLAN_LINK_UNRESOLVED: code("plan", "A link that names no switch of the plan."),
  PLAN_LINK_WITHOUT_ADDRESS: code("plan", "A link without exactly one address, or the reverse."),
  PLAN_TOO_LARGE: code("plan", "More networks, nodes or rules than a plan may have."),
  PLAN_DIRECT_INVALID: code("plan", "A program's plan that no author could have written."),

  POLICY_SCHEMA_VERSION: code("policy", "Not the version of appliance policy with internal zones."),
  POLICY_ID_INVALID: code("policy", "No lower-case id of up to 80 characters."),
  POLICY_GENERATION_INVALID: code("policy", "No positive integer."),
  POLICY_WORKBENCH_VERSION_INVALID: code("policy", "No name of a workbench policy version."),
  POLICY_DEFAULT_DENY_REQUIRED: code("policy", "A policy that doesn't deny by default."),
  POLICY_SELECTOR_INVALID: code("policy", "Not one exact label for each zone."),
  POLICY_SELECTOR_REPEATED: code("policy", "Two zones with the same label."),
  POLICY_SELECTOR_RESERVED: code("policy", "A label that this program itself writes."),
  POLICY_CROSSING_INVALID: code("policy", "A crossing without protocol, ports and purpose."),
  POLICY_CROSSING_INEXPRESSIBLE: code(
    "policy",
    "A crossing other than participant to management and management to egress.",
  ),
  POLICY_CROSSING_REPEATED: code("policy", "A crossing that stands above already."),
  POLICY_AUTHORITY_INVALID: code(
    "policy",
    "Not an exact DNS name with a TCP port, resolved by the broker, denied on failure.",
  ),
  POLICY_AUTHORITY_REPEATED: code("policy", "A name and port that stand above already."),
  POLICY_LIMITS_INVALID: code("policy", "A bound of the broker's that is missing or out of range."),
  POLICY_PUBLICATION_INVALID: code("policy", "Not an audience, a loopback address and a port."),
  POLICY_PUBLICATION_REPEATED: code("policy", "An address and port that stand above already."),
  POLICY_HOST_MCP_MISMATCH: code(
    "policy",
    "A contract without exactly one host-mcp publication on TCP, or the reverse.",
  ),
  POLICY_HOLDERS_INVALID: code("policy", "Not a list of distinct exact labels."),
  POLICY_RESOLVER_INVALID: code("policy", "Not up to three distinct IPv4 name servers."),
  POLICY_FRESHNESS_INVALID: code("policy", "Not a number of seconds from 1 to 3600."),
  POLICY_HOST_NETWORK_INVALID: code("policy", "Neither true nor false."),

  PLATFORM_ADDRESS_INVALID: code("platform", "Not an address block, or not an address of one."),
  PLATFORM_ANCHOR_NOT_AT_HOME: code("platform", "An anchor without an address in its own zone."),
  PLATFORM_MOUNT_INVALID: code("platform", "A mount whose paths aren't in their one spelling."),
  PLATFORM_MOUNT_REFUSED: code("platform", "A mount of what isn't the operator's to give."),

  RELEASE_SIGNATURE_FORM: code("release", "Not a release's signature, in RFC 8785 form."),
  RELEASE_KEY_UNTRUSTED: code("release", "Signed by another key than the trusted one."),
  RELEASE_DIGEST_DIFFERENT: code("release", "A signature for another manifest."),
  RELEASE_SIGNATURE_INVALID: code("release", "Not the key's signature for this manifest."),
  RELEASE_INVALID: code("release", "Not a release manifest, in RFC 8785 form."),
  RELEASE_ARTIFACTS: code("release", "Not each of the nine kinds of artifact once."),
  RELEASE_PAYLOAD_DIFFERENT: code("release", "A payload digest that isn't the artifacts'."),
  RELEASE_BINDING_DIFFERENT: code("release", "A bound digest that isn't its artifact's."),
  RELEASE_POLICY_DIFFERENT: code("release", "Another policy than the released one."),

  BIND_OWNER_AMBIGUOUS: code("bind", "A rule's owner is a node to one part, a network to another."),
  BIND_OWNER_UNREALISED: code("bind", "A rule whose owner the plan doesn't have."),
  BIND_OWNER_WITHOUT_ADDRESS: code("bind", "A node has no address where its rule needs one."),
  BIND_NETWORK_UNOBSERVED: code("bind", "A network that wasn't found."),
  BIND_NETWORK_AMBIGUOUS: code("bind", "More than one network with the label."),
  BIND_ZONES_SHARED: code("bind", "One network or container with two zones' labels."),
  BIND_BRIDGE_UNOBSERVABLE: code("bind", "A network without a bridge, subnet or gateway to see."),
  BIND_BRIDGE_SHARED: code("bind", "Two networks on one bridge."),
  BIND_SUBNET_DIFFERENT: code("bind", "A network with another block or gateway than planned."),
  BIND_SUBNET_OVERLAP: code("bind", "Two networks share addresses."),
  BIND_IPV6: code("bind", "A network or an interface with IPv6."),
  BIND_NODE_UNREALISED: code("bind", "A node without a container."),
  BIND_NODE_AMBIGUOUS: code("bind", "A node with more than one container."),
  BIND_ATTACHMENT_UNOBSERVED: code("bind", "A container that isn't where its node is planned."),
  BIND_ATTACHMENT_DIFFERENT: code("bind", "A container with another address than planned."),
  BIND_ATTACHMENT_UNPLANNED: code("bind", "A scenario's container on a network of nobody's plan."),
  BIND_PORT_UNOBSERVABLE: code("bind", "A running container whose port or MAC wasn't found."),
  BIND_IDENTITY_SHARED: code("bind", "Two attachments with one port, MAC or address."),
  BIND_FOREIGN_CONTAINER: code("bind", "Somebody on a network who isn't in its plan or policy."),
  BIND_PLATFORM_LABEL_FORGED: code("bind", "A platform label on what belongs to the scenario."),
  BIND_ANCHOR_UNOBSERVED: code("bind", "An anchor that wasn't found."),
  BIND_ANCHOR_AMBIGUOUS: code("bind", "More than one container with an anchor's label."),
  BIND_ANCHOR_WITHOUT_ADDRESS: code("bind", "An anchor without an IPv4 on its own network."),
  BIND_ANCHOR_ON_SCENARIO: code("bind", "An anchor on a network that isn't the platform's."),
  BIND_CROSSING_WITHOUT_PATH: code("bind", "A crossing whose anchors share no platform network."),
  BIND_CROSSING_AMBIGUOUS: code("bind", "A crossing whose anchors share several."),
  BIND_RESOLVER_INSIDE: code("bind", "A signed name server on a container network."),
  BIND_PUBLICATION_UNSIGNED: code("bind", "A port that is published and that nobody signed."),
  BIND_PUBLICATION_UNOBSERVED: code("bind", "A signed publication that isn't its anchor's."),
  BIND_PUBLICATION_AMBIGUOUS: code("bind", "A signed publication that leads to two ports."),

  RULESET_INVALID: code("ruleset", "A rule that couldn't be written, or not be recognised again."),
  NFT_OUTPUT: code("ruleset", "What nft lists isn't understood as a whole."),

  NFT_MISSING: code("kernel", "nft isn't installed."),
  NSENTER_MISSING: code("kernel", "nsenter isn't installed."),
  CONNTRACK_MISSING: code("kernel", "conntrack isn't installed."),
  IP_MISSING: code("kernel", "ip isn't installed."),
  UNSHARE_MISSING: code("kernel", "unshare isn't installed."),
  TOOL_MISSING: code("kernel", "A program of the base system isn't there."),
  TOOL_FAILED: code("kernel", "A program ended with an error."),
  TOOL_DEADLINE: code("kernel", "A program didn't end in time and was killed."),
  TOOL_FLOODED: code("kernel", "A program printed more than it may."),
  NAMESPACE_GONE: code("kernel", "A network namespace that isn't there, or is another by now."),
  NAMESPACE_HOST: code("kernel", "The network namespace of PID 1, which the policy doesn't name."),
  NAMESPACE_BUSY: code("kernel", "Somebody else changes the appliance, or watches over it."),
  TABLE_FOREIGN: code("kernel", "A table of this boundary's name that it didn't make."),
  APPLY_UNPROVEN: code("kernel", "What was read back isn't what was written."),
  SETTING_UNKNOWN: code(
    "kernel",
    "A setting that can't be read, or whose reading isn't understood.",
  ),
  IP_ANSWER: code("kernel", "What ip lists isn't understood."),
  REALISATION_MISSING: code("kernel", "A kernel that can't judge frames between two ports."),

  HOLDERS_UNOBSERVABLE: code("kernel", "An engine whose process isn't in the namespace."),

  APPLY_IMAGE_MISSING: code("apply", "An image that the engine doesn't hold by that digest."),
  APPLY_NAME_TAKEN: code("apply", "A network or container of somebody else's has the name."),
  APPLY_ENGINE_ELSEWHERE: code("apply", "An engine that isn't in the namespace."),
  APPLY_PLATFORM_PRESENT: code("apply", "A boundary with a platform, applied without one."),
  APPLY_STUCK: code("apply", "The same stage was done twice and is still to do."),
  CLEAR_INCOMPLETE: code("apply", "Something of the boundary's is still there after removal."),

  PROBE_FAILED: code("probe", "A prober that ended, or didn't answer."),
  HOST_LISTING: code("probe", "A list of listeners that isn't understood."),
  PROBE_TOO_MANY: code("probe", "More containers than are probed at once."),

  CHECK_FAILED: code("watch", "The exhaustive check ended without an answer."),
  FLOOR_UNPROVEN: code("watch", "A floor that was loaded and isn't what the kernel holds."),
  WATCH_SOURCE_ENDED: code("watch", "Nobody tells any more what changes in the kernel."),
} as const;

export type BoundaryCode = keyof typeof BOUNDARY_CODES;

/** @throws DrydockError */
export const refuse = (
  code: BoundaryCode,
  message: string,
  options: { readonly fix: string; readonly cause?: unknown },
): never => {
  throw new DrydockError(code, message, options);
};
