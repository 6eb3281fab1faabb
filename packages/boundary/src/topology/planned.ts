import { sha256 } from "@drydock/evidence";
import { engineMac } from "../bind/index.js";
import {
  type AppliancePolicy,
  type BoundaryOwner,
  type ObservedContainer,
  type ObservedNetwork,
  type ObservedTopology,
  type ProvisioningPlan,
  parseCidr,
  parseIpv4,
} from "../model/index.js";
import type { Platform } from "../platform/index.js";
import { type DesiredContainer, type DesiredNetwork, desiredOf } from "../realise/desired.js";

/** In the place of an id that nobody has given yet. */
const PLACEHOLDER = "planned";

/** What there would be to observe. */
export interface Planned {
  readonly owner: BoundaryOwner;
  readonly plan: ProvisioningPlan;
  readonly platform: { readonly policy: AppliancePolicy; readonly parts: Platform } | null;
}

/**
 * What an engine would show once everything runs: with the bridges, addresses and MACs that apply
 * gives, and placeholders for ports, which only a kernel names, and for ids.
 */
export const plannedTopology = ({ owner, plan, platform }: Planned): ObservedTopology => {
  const references = [
    PLACEHOLDER,
    ...plan.nodes.flatMap(({ image }) => image ?? []),
    ...Object.values(platform?.parts.anchors ?? {}).map(({ image }) => image),
  ];
  const desired = desiredOf({
    owner,
    plan,
    platform,
    images: new Map(references.map((image) => [image, PLACEHOLDER])),
    helper: { image: PLACEHOLDER, command: [] },
    mountRoot: `/${PLACEHOLDER}`,
  });
  return {
    bootId: PLACEHOLDER,
    daemonId: PLACEHOLDER,
    networks: desired.networks.map(networkOf),
    containers: [...desired.anchors, ...desired.nodes].map(containerOf),
  };
};

const networkOf = ({ address, spec }: DesiredNetwork): ObservedNetwork => ({
  id: address,
  name: spec.name,
  driver: "bridge",
  bridge: spec.bridge,
  ipv4: parseCidr(spec.subnet),
  gateway: parseIpv4(spec.gateway),
  hasIpv6: false,
  labels: spec.labels,
});

const containerOf = (container: DesiredContainer): ObservedContainer => ({
  id: container.address,
  name: container.name,
  labels: container.labels,
  image: container.image,
  running: true,
  endpoints: container.attachments.map(({ network, ipv4 }) => ({
    network,
    ipv4,
    hasIpv6: false,
    mac: engineMac(ipv4),
    port: portName(`${container.name} ${network}`),
  })),
  publications: container.publications,
});

/** At most 15 bytes, and no two the same. */
const portName = (of: string): string =>
  `port${sha256(Buffer.from(of)).toString("hex").slice(0, 11)}`;
