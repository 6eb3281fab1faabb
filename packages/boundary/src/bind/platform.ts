import { quote } from "@drydock/evidence";
import { refuse } from "../codes.js";
import {
  type AppliancePolicy,
  type BoundAttachment,
  type BoundNetwork,
  type BoundPlatform,
  contains,
  formatIpv4,
  type ObservedContainer,
  type ObservedNetwork,
  type ObservedTopology,
  ZONES,
  type Zone,
} from "../model/index.js";
import { selects } from "../policy/index.js";
import { bindAttachment, byHolder } from "./attachment.js";
import { bindCrossings } from "./crossings.js";
import { refuseForeignContainers } from "./foreign-container.js";
import { refuseForgedLabels } from "./forged-label.js";
import { bindNetwork, refuseSharedNetworks } from "./network.js";
import { only } from "./only.js";
import type { BindOptions } from "./phase.js";
import { bindPublications, publicationsOf } from "./publications.js";
import { refuseSharedIdentity } from "./shared-identity.js";
import { refuseStrayEndpoint } from "./stray-endpoint.js";
import { refuseUnsignedPublications } from "./unsigned-publication.js";

/** `platform.network.participant` and so on: no plan can have such an address. */
export const zoneNetwork = (zone: Zone): string => `platform.network.${zone}`;
export const zoneAnchor = (zone: Zone): string => `platform.anchor.${zone}`;

/**
 * Finds the three networks and the three anchors that a policy selects, each label exactly once,
 * and nobody else among them. In phase `networks` nothing is allowed: that is the floor.
 *
 * @throws DrydockError BIND_…
 */
export const bindPlatform = (
  policy: AppliancePolicy,
  topology: ObservedTopology,
  { phase = "containers" }: BindOptions = {},
): BoundPlatform => {
  refuseForgedLabels(policy, topology);
  const found = findNetworks(policy, topology);
  refuseSharedNetworks(Object.values(found), topology);
  refuseInnerResolvers(policy, topology);
  const networks = eachZone((zone) => found[zone][0]);
  const floor: BoundPlatform = {
    policyDigest: policy.digest,
    networks,
    attachments: [],
    crossings: [],
    egress: null,
    publications: [],
  };
  return phase === "networks" ? floor : { ...floor, ...bindAnchors(policy, found, topology) };
};

type Found = Readonly<Record<Zone, readonly [BoundNetwork, ObservedNetwork]>>;
type Anchors = Readonly<Record<Zone, ObservedContainer>>;

const eachZone = <T>(make: (zone: Zone) => T): Readonly<Record<Zone, T>> => ({
  participant: make("participant"),
  management: make("management"),
  egress: make("egress"),
});

const findNetworks = (policy: AppliancePolicy, { networks }: ObservedTopology): Found => {
  const observed = eachZone((zone) =>
    only(
      networks.filter(({ labels }) => selects(policy.networks[zone], labels)),
      `the ${zone} network`,
      { none: "BIND_NETWORK_UNOBSERVED", several: "BIND_NETWORK_AMBIGUOUS" },
    ),
  );
  refuseSharedZones("network", observed);
  return eachZone((zone) => [bindNetwork(observed[zone], zoneNetwork(zone)), observed[zone]]);
};

/** Two labels on one thing are two zones in one. */
const refuseSharedZones = (
  kind: "network" | "container",
  found: Readonly<Record<Zone, { readonly id: string; readonly name: string }>>,
): void => {
  if (new Set(ZONES.map((zone) => found[zone].id)).size === ZONES.length) return;
  const names = ZONES.map((zone) => quote(found[zone].name)).join(", ");
  refuse("BIND_ZONES_SHARED", `two zones have the same ${kind}: ${names}`, {
    fix: "Give each zone its own.",
  });
};

/**
 * A name server is asked through the router, outside. One that a container network has would make
 * the egress path a way into that network.
 */
const refuseInnerResolvers = (
  { egressResolvers }: AppliancePolicy,
  { networks }: ObservedTopology,
): void => {
  for (const resolver of egressResolvers) {
    const inside = networks.find(({ ipv4 }) => ipv4 !== null && contains(ipv4, resolver));
    if (inside === undefined) continue;
    const message = `resolver ${formatIpv4(resolver)} is on network ${quote(inside.name)}`;
    refuse("BIND_RESOLVER_INSIDE", message, { fix: "Sign a name server that is outside." });
  }
};

const bindAnchors = (
  policy: AppliancePolicy,
  found: Found,
  topology: ObservedTopology,
): Omit<BoundPlatform, "policyDigest" | "networks"> => {
  const anchors = findAnchors(policy, topology);
  const networks = new Set(ZONES.map((zone) => found[zone][1].id));
  refuseForeignContainers(networks, new Set(ZONES.map((zone) => anchors[zone].id)), topology);
  for (const zone of ZONES) {
    refuseStrayEndpoint(anchors[zone], networks, topology, "BIND_ANCHOR_ON_SCENARIO");
  }
  const attachments = ZONES.flatMap((zone) => bindAnchor(zone, anchors[zone], found)).sort(
    byHolder,
  );
  refuseSharedIdentity(attachments);
  refuseUnsignedPublications(topology, (id) =>
    ZONES.flatMap((zone) => (anchors[zone].id === id ? publicationsOf(policy, zone) : [])),
  );
  const { ipv4 } = own(attachments, "egress");
  return {
    attachments,
    crossings: bindCrossings(policy, attachments),
    egress:
      policy.egressAuthorities.length === 0
        ? null
        : { authorities: policy.egressAuthorities, resolvers: policy.egressResolvers, ipv4 },
    publications: bindPublications(policy, anchors, (zone) => own(attachments, zone)),
  };
};

const findAnchors = (policy: AppliancePolicy, { containers }: ObservedTopology): Anchors => {
  const anchors = eachZone((zone) =>
    only(
      containers.filter(({ labels }) => selects(policy.anchors[zone], labels)),
      `the ${zone} anchor`,
      { none: "BIND_ANCHOR_UNOBSERVED", several: "BIND_ANCHOR_AMBIGUOUS" },
    ),
  );
  refuseSharedZones("container", anchors);
  return anchors;
};

const bindAnchor = (
  zone: Zone,
  container: ObservedContainer,
  found: Found,
): readonly BoundAttachment[] => {
  const attachments = ZONES.flatMap((on) => {
    const [network, { id }] = found[on];
    const endpoint = container.endpoints.find((candidate) => candidate.network === id);
    if (endpoint === undefined) return [];
    const { ipv4 } = endpoint;
    if (ipv4 === null || !contains(network.cidr, ipv4) || ipv4 === network.gateway) {
      return refuseAddressless(zone, on);
    }
    return [bindAttachment({ holder: zoneAnchor(zone), network, ipv4 }, container, endpoint)];
  });
  return attachments.some(({ network }) => network === zoneNetwork(zone))
    ? attachments
    : refuseAddressless(zone, zone);
};

const refuseAddressless = (zone: Zone, on: Zone): never =>
  refuse("BIND_ANCHOR_WITHOUT_ADDRESS", `the ${zone} anchor has no IPv4 on the ${on} network`, {
    fix: "Connect it, or start it.",
  });

/** An anchor's place on its own zone's network. */
const own = (attachments: readonly BoundAttachment[], zone: Zone): BoundAttachment =>
  attachments.find(
    ({ holder, network }) => holder === zoneAnchor(zone) && network === zoneNetwork(zone),
  ) ?? refuseAddressless(zone, zone);
