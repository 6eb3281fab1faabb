import { canonicalBytes, digestOf, sha256 } from "@drydock/evidence";
import { PLAN_ADDRESS_LABEL, zoneAnchor, zoneNetwork } from "../bind/index.js";
import type { NetworkSpec } from "../engine/index.js";
import {
  type AppliancePolicy,
  type BoundaryOwner,
  formatCidr,
  formatIpv4,
  type Ipv4,
  type LabelSelector,
  type PlanAddress,
  type ProvisioningPlan,
  ZONES,
  type Zone,
} from "../model/index.js";
import type { Platform } from "../platform/index.js";
import { OWNER_LABEL, SPEC_LABEL } from "./labels.js";

export interface DesiredNetwork {
  readonly address: PlanAddress;
  readonly spec: NetworkSpec;
}

export interface DesiredContainer {
  readonly address: PlanAddress;
  readonly name: string;
  readonly image: string;
  readonly command: readonly string[] | null;
  readonly labels: Readonly<Record<string, string>>;
  /** The first holds the default route, by way of `gateway`. */
  readonly attachments: readonly { readonly network: PlanAddress; readonly ipv4: Ipv4 }[];
  readonly gateway: Ipv4;
  /** Absolute on the host and in the container; read-only. */
  readonly mounts: readonly { readonly source: string; readonly target: string }[];
  readonly publications: readonly {
    readonly address: string;
    readonly port: number;
    readonly protocol: "tcp" | "udp";
    readonly target: number;
  }[];
}

/** Everything that a boundary's engine has to hold, and nothing else of the owner's. */
export interface Desired {
  readonly owner: BoundaryOwner;
  readonly networks: readonly DesiredNetwork[];
  readonly anchors: readonly DesiredContainer[];
  readonly nodes: readonly DesiredContainer[];
}

export interface Wanted {
  readonly owner: BoundaryOwner;
  readonly plan: ProvisioningPlan;
  /** null: a scenario alone, on a developer's machine. */
  readonly platform: { readonly policy: AppliancePolicy; readonly parts: Platform } | null;
  /** Image ids of everything that is named, the helper's for nodes without an image. */
  readonly images: ReadonlyMap<string, string>;
  readonly helper: { readonly image: string; readonly command: readonly string[] };
  /** Absolute: where the sources of the anchors' mounts are. Needed where an anchor has one. */
  readonly mountRoot?: string | null;
}

/** Pure: what plan, policy and platform ask the engine for. */
export const desiredOf = (wanted: Wanted): Desired => ({
  owner: wanted.owner,
  networks: [...planNetworks(wanted), ...platformNetworks(wanted)],
  anchors: anchorsOf(wanted),
  nodes: nodesOf(wanted),
});

const planNetworks = ({ owner, plan }: Wanted): readonly DesiredNetwork[] =>
  plan.networks.map(({ address, name, cidr, gateway }) =>
    networkOf(owner, address, name, formatCidr(cidr), formatIpv4(gateway), {
      [PLAN_ADDRESS_LABEL]: address,
    }),
  );

const platformNetworks = ({ owner, platform }: Wanted): readonly DesiredNetwork[] =>
  platform === null
    ? []
    : zonesByName(platform.parts).map((zone, index) => {
        const { cidr, gateway } = platform.parts.networks[zone];
        const address = zoneNetwork(zone);
        const labels = labelOf(platform.policy.networks[zone]);
        const name = `platform-${index}-${zone}`;
        return networkOf(owner, address, name, formatCidr(cidr), formatIpv4(gateway), labels);
      });

/**
 * The engine leads a container's published ports to its address on the network whose name comes
 * first, and takes no word for it. That has to be the anchor's own zone, whose address the rules
 * open: a zone whose anchor publishes and is elsewhere too comes before the others. Two such would
 * share two networks, which no crossing may.
 */
const zonesByName = ({ anchors }: Platform): readonly Zone[] =>
  [...ZONES].sort(
    (one, other) => Number(isElsewhere(anchors[other])) - Number(isElsewhere(anchors[one])),
  );

const isElsewhere = ({ publications, attachments }: Platform["anchors"][Zone]): boolean =>
  publications.length > 0 && attachments.length > 1;

const networkOf = (
  owner: BoundaryOwner,
  address: PlanAddress,
  name: string,
  subnet: string,
  gateway: string,
  labels: Readonly<Record<string, string>>,
): DesiredNetwork => {
  const spec: NetworkSpec = {
    name: `${owner}-${name}`,
    bridge: bridgeName(owner, address),
    subnet,
    gateway,
    // An internal network's engine rules would drop what is routed between two of them.
    internal: false,
    labels,
  };
  const marks = { [OWNER_LABEL]: owner, [SPEC_LABEL]: digestOf(canonicalBytes({ ...spec })) };
  return { address, spec: { ...spec, labels: { ...labels, ...marks } } };
};

/** Interface names have at most 15 bytes, and another owner's bridges may be left in the namespace. */
const bridgeName = (owner: BoundaryOwner, address: PlanAddress): string =>
  `dd-${sha256(Buffer.from(`${owner}:${address}`))
    .toString("hex")
    .slice(0, 12)}`;

const nodesOf = ({ owner, plan, images, helper }: Wanted): readonly DesiredContainer[] =>
  plan.nodes.map(({ address, name, image, command, attachments }) => {
    const first = plan.networks.find((network) => network.address === attachments[0]?.network);
    return containerOf(owner, {
      address,
      name: `${owner}-${name}`,
      image: imageId(images, image ?? helper.image),
      command: command ?? (image === null ? helper.command : null),
      labels: { [PLAN_ADDRESS_LABEL]: address },
      attachments,
      gateway: first?.gateway ?? 0,
      publications: [],
      mounts: [],
    });
  });

const anchorsOf = ({ owner, platform, images, mountRoot }: Wanted): readonly DesiredContainer[] =>
  platform === null
    ? []
    : ZONES.map((zone) => {
        const { image, command, attachments, publications, mounts } = platform.parts.anchors[zone];
        return containerOf(owner, {
          address: zoneAnchor(zone),
          name: `${owner}-platform-${zone}`,
          image: imageId(images, image),
          command,
          labels: labelOf(platform.policy.anchors[zone]),
          attachments: attachments.map(({ zone: place, ipv4 }) => ({
            network: zoneNetwork(place),
            ipv4,
          })),
          gateway: platform.parts.networks[zone].gateway,
          publications,
          mounts: mounts.map(({ source, target }) => {
            if (mountRoot == null) throw new Error(`nobody said where ${source} is`);
            return { source: `${mountRoot}/${source}`, target };
          }),
        });
      });

const containerOf = (owner: BoundaryOwner, container: DesiredContainer): DesiredContainer => {
  const spec = digestOf(
    canonicalBytes({
      ...container,
      attachments: container.attachments.map((place) => ({ ...place })),
      publications: container.publications.map((place) => ({ ...place })),
      mounts: container.mounts.map((mount) => ({ ...mount })),
    }),
  );
  const marks = { [OWNER_LABEL]: owner, [SPEC_LABEL]: spec };
  return { ...container, labels: { ...container.labels, ...marks } };
};

const labelOf = ({ key, value }: LabelSelector): Readonly<Record<string, string>> => ({
  [key]: value,
});

const imageId = (images: ReadonlyMap<string, string>, reference: string): string => {
  const id = images.get(reference);
  if (id === undefined) throw new Error(`${reference} was never resolved`);
  return id;
};
