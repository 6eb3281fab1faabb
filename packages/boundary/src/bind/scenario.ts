import { refuse } from "../codes.js";
import {
  type BoundAttachment,
  type BoundNetwork,
  type BoundScenario,
  formatCidr,
  formatIpv4,
  type ObservedContainer,
  type ObservedNetwork,
  type ObservedTopology,
  type PlanAddress,
  type PlanNetwork,
  type PlanNode,
  type ProvisioningPlan,
} from "../model/index.js";
import { bindAttachment, byHolder, type Place, plannedAttachment } from "./attachment.js";
import { refuseForeignContainers } from "./foreign-container.js";
import { planAddressOf } from "./labels.js";
import { bindNetwork, refuseSharedNetworks } from "./network.js";
import { only } from "./only.js";
import type { BindOptions } from "./phase.js";
import { refuseUnboundOwners } from "./required-networks.js";
import { refuseSharedIdentity } from "./shared-identity.js";
import { refuseStrayEndpoint } from "./stray-endpoint.js";
import { refuseUnsignedPublications } from "./unsigned-publication.js";

/**
 * Finds a plan's networks and nodes among what was observed, each exactly once, exactly where the
 * plan says, and nobody else among them.
 *
 * @throws DrydockError BIND_…
 */
export const bindScenario = (
  plan: ProvisioningPlan,
  topology: ObservedTopology,
  { phase = "containers" }: BindOptions = {},
): BoundScenario => {
  refuseUnboundOwners(plan);
  const found = plan.networks.map((network) => findNetwork(network, topology));
  refuseSharedNetworks(found, topology);
  const networks = found.map(([bound]) => bound);
  const attachments =
    phase === "networks"
      ? plan.nodes.flatMap((node) => placesOf(node, networks).map(plannedAttachment))
      : bindNodes(plan, found, topology);
  refuseSharedIdentity(attachments);
  return {
    planDigest: plan.digest,
    default: plan.default,
    networks,
    attachments: [...attachments].sort(byHolder),
    rules: plan.rules,
  };
};

type Found = readonly [BoundNetwork, ObservedNetwork];

const findNetwork = (network: PlanNetwork, { networks }: ObservedTopology): Found => {
  const { address, cidr, gateway } = network;
  const observed = only(
    networks.filter(({ labels }) => planAddressOf(labels) === address),
    address,
    { none: "BIND_NETWORK_UNOBSERVED", several: "BIND_NETWORK_AMBIGUOUS" },
  );
  const bound = bindNetwork(observed, address);
  const planned = `${formatCidr(cidr)} by ${formatIpv4(gateway)}`;
  const shown = `${formatCidr(bound.cidr)} by ${formatIpv4(bound.gateway)}`;
  if (planned !== shown) {
    refuse("BIND_SUBNET_DIFFERENT", `${address} has ${shown}, and not ${planned}`, {
      fix: "Make the network again.",
    });
  }
  return [bound, observed];
};

const placesOf = (
  { address, attachments }: PlanNode,
  networks: readonly BoundNetwork[],
): readonly Place[] =>
  attachments.map(({ network, ipv4 }) => ({
    holder: address,
    network: networkOf(network, networks),
    ipv4,
  }));

const networkOf = (address: PlanAddress, networks: readonly BoundNetwork[]): BoundNetwork =>
  networks.find((network) => network.address === address) ??
  refuse("BIND_NETWORK_UNOBSERVED", `${address} isn't a network of the plan`, {
    fix: "Correct the plan.",
  });

const bindNodes = (
  { nodes }: ProvisioningPlan,
  found: readonly Found[],
  topology: ObservedTopology,
): readonly BoundAttachment[] => {
  const bound = nodes.map((node) => [node, findContainer(node, topology)] as const);
  const networks = new Set(found.map(([, { id }]) => id));
  refuseForeignContainers(networks, new Set(bound.map(([, { id }]) => id)), topology);
  refuseUnsignedPublications(
    { ...topology, containers: bound.map(([, container]) => container) },
    () => [],
  );
  return bound.flatMap(([node, container]) => bindNode(node, container, found, topology));
};

const findContainer = ({ address }: PlanNode, { containers }: ObservedTopology) =>
  only(
    containers.filter(({ labels }) => planAddressOf(labels) === address),
    address,
    { none: "BIND_NODE_UNREALISED", several: "BIND_NODE_AMBIGUOUS" },
  );

const bindNode = (
  node: PlanNode,
  container: ObservedContainer,
  found: readonly Found[],
  topology: ObservedTopology,
): readonly BoundAttachment[] => {
  const places = placesOf(
    node,
    found.map(([network]) => network),
  ).map((place) => {
    const id = found.find(([{ address }]) => address === place.network.address)?.[1].id;
    return { place, id, endpoint: container.endpoints.find(({ network }) => network === id) };
  });
  const allowed = new Set(places.flatMap(({ id }) => id ?? []));
  refuseStrayEndpoint(container, allowed, topology, "BIND_ATTACHMENT_UNPLANNED");
  return places.map(({ place, endpoint }) => {
    if (endpoint !== undefined) return bindAttachment(place, container, endpoint);
    const message = `${place.holder} isn't on ${place.network.address}`;
    return refuse("BIND_ATTACHMENT_UNOBSERVED", message, { fix: "Make the container again." });
  });
};
