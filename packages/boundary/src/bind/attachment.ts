import { quote } from "@drydock/evidence";
import { refuse } from "../codes.js";
import {
  type BoundAttachment,
  type BoundNetwork,
  formatIpv4,
  type Ipv4,
  type ObservedContainer,
  type ObservedEndpoint,
  type PlanAddress,
} from "../model/index.js";
import { isInterfaceName } from "./network.js";

/** One station's (IEEE 802: neither a group's nor nobody's), as the kernel prints it. */
const MAC = /^(?!00:00:00:00:00:00$)[0-9a-f][02468ace](?::[0-9a-f]{2}){5}$/;

/** What the engine gives an interface that was given none: locally administered, from the address. */
export const engineMac = (address: Ipv4): string =>
  [2, 0x42, ...[24, 16, 8, 0].map((shift) => (address >>> shift) & 255)]
    .map((octet) => octet.toString(16).padStart(2, "0"))
    .join(":");

export interface Place {
  readonly holder: PlanAddress;
  readonly network: BoundNetwork;
  readonly ipv4: Ipv4;
}

/** Before the container runs. */
export const plannedAttachment = ({ holder, network, ipv4 }: Place): BoundAttachment => ({
  holder,
  network: network.address,
  bridge: network.bridge,
  ipv4,
  mac: engineMac(ipv4),
  port: null,
});

/**
 * @param place with the address that the endpoint has to have.
 * @throws DrydockError BIND_IPV6, BIND_ATTACHMENT_DIFFERENT, BIND_PORT_UNOBSERVABLE
 */
export const bindAttachment = (
  place: Place,
  { name, running }: ObservedContainer,
  { ipv4, hasIpv6, mac, port }: ObservedEndpoint,
): BoundAttachment => {
  const { holder, network } = place;
  if (hasIpv6) {
    return refuse(
      "BIND_IPV6",
      `container ${quote(name)} has an IPv6 address on ${network.address}`,
      {
        fix: "Make it again without IPv6.",
      },
    );
  }
  // An engine that hasn't started a container may show no address of it yet.
  if (ipv4 !== place.ipv4 && (running || ipv4 !== null)) {
    const shown = ipv4 === null ? "no address" : formatIpv4(ipv4);
    const message = `${holder} has ${shown} on ${network.address}, and not ${formatIpv4(place.ipv4)}`;
    return refuse("BIND_ATTACHMENT_DIFFERENT", message, { fix: "Make the container again." });
  }
  const planned = plannedAttachment(place);
  if (mac !== null && !MAC.test(mac)) {
    return unobservable(`container ${quote(name)} has ${quote(mac)} for a MAC`);
  }
  if (!running) return { ...planned, mac: mac ?? planned.mac };
  if (mac === null || port === null || !isInterfaceName(port)) {
    return unobservable(`${holder} runs, and its port or MAC on ${network.bridge} wasn't found`);
  }
  return { ...planned, mac, port };
};

const unobservable = (message: string): never =>
  refuse("BIND_PORT_UNOBSERVABLE", message, {
    fix: "Observe again; make the container again if it stays so.",
  });

export const byHolder = (a: BoundAttachment, b: BoundAttachment): number =>
  a.holder === b.holder ? compare(a.network, b.network) : compare(a.holder, b.holder);

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
