import {
  type Authority,
  type BoundAttachment,
  type BoundPlatform,
  type BoundScenario,
  formatIpv4,
  type Ipv4,
  type PlanAddress,
} from "../model/index.js";
import type { Boundary } from "./packet.js";

/** Where a flow may begin or end inside of a boundary. */
export interface Place {
  readonly authority: Authority;
  readonly holder: PlanAddress;
  readonly network: PlanAddress;
  readonly ipv4: Ipv4;
}

const placesIn = (
  authority: Authority,
  bound: BoundScenario | BoundPlatform | null,
): readonly Place[] =>
  (bound?.attachments ?? []).map(({ holder, network, ipv4 }: BoundAttachment) => ({
    authority,
    holder,
    network,
    ipv4,
  }));

/** Every attachment of nodes and anchors. */
export const placesOf = ({ scenario, platform }: Boundary): readonly Place[] => [
  ...placesIn("scenario", scenario),
  ...placesIn("platform", platform),
];

const nameOf = (address: PlanAddress): string => address.slice(address.lastIndexOf(".") + 1);

/**
 * The places that somebody means by `web`, `web@dmz`, `provision.node.web`, a zone's name, or an
 * address; none if nobody is called so.
 */
export const placesNamed = (boundary: Boundary, text: string): readonly Place[] => {
  const [holder, network] = text.split("@");
  return placesOf(boundary).filter(
    (place) =>
      formatIpv4(place.ipv4) === text ||
      ((place.holder === holder || nameOf(place.holder) === holder) &&
        (network === undefined || place.network === network || nameOf(place.network) === network)),
  );
};

export const describePlace = ({ holder, network, ipv4 }: Place): string =>
  `${nameOf(holder)}@${nameOf(network)} (${formatIpv4(ipv4)})`;
