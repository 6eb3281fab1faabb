import type {
  Action,
  BoundAttachment,
  BoundPlatform,
  BoundScenario,
  Ground,
  Judgement,
  Packet,
} from "../model/index.js";
import { departsFromBinding } from "./binding.js";
import { isDelivered } from "./delivery.js";
import { type Land, platformLand, scenarioLand } from "./land.js";

/**
 * What one authority says of one packet. `silent`: it touches no network of its own, so its tables
 * must let it pass. `free`: nothing is said, since no attachment is concerned.
 */
export interface Opinion {
  readonly action: Action | "silent" | "free";
  readonly grounds: readonly Ground[];
  /** Its source becomes the router's address on the way out. */
  readonly masquerade: boolean;
}

/** A whole boundary; null where an authority has nothing to say. */
export interface Boundary {
  readonly scenario: BoundScenario | null;
  readonly platform: BoundPlatform | null;
}

const opinion = (action: Opinion["action"], ...grounds: readonly Ground[]): Opinion => ({
  action,
  grounds,
  masquerade: false,
});

const SILENT = opinion("silent");
const FREE = opinion("free");
const ARP = opinion("allow", { kind: "arp" });
const FAMILY = opinion("deny", { kind: "family" });
const UNDELIVERED = opinion("deny", { kind: "delivery" });
const UNBOUND = opinion("deny", { kind: "binding", holder: null, differs: "port" });
/** Where a bound port's frames aren't looked at, none of them goes on. */
const UNCHECKED = opinion("deny", { kind: "binding", holder: null, differs: "ether-type" });
const INVALID = opinion("deny", { kind: "state", state: "invalid" });

const judged = ({ action, grounds }: Judgement, masquerade = false): Opinion => ({
  action,
  grounds,
  masquerade: masquerade && action === "allow",
});

/**
 * From a port that is bound to nothing: nobody bound hears of it, it isn't routed, and it doesn't
 * pass for anybody who is bound. What is left concerns no attachment.
 */
const fromUnbound = (land: Land, packet: Packet): Opinion => {
  if (packet.path === "link-local") return land.bears(packet.sourceMac) ? UNBOUND : FREE;
  if (packet.etherType === "ip" || packet.etherType === "ip6") return UNBOUND;
  const isHeard = packet.path === "bridged" && land.behind(packet.outPort) !== null;
  return isHeard || bearsOurs(land, packet) ? UNBOUND : FREE;
};

/** To a network of the authority's, from the host or from an interface that isn't the authority's. */
const fromElsewhere = (land: Land, packet: Packet): Opinion => {
  switch (packet.etherType) {
    case "ip6":
      return FAMILY;
    // The host is the router: it asks for addresses, and what else it says is its own.
    case "arp":
      return land.behind(packet.outPort) === null ? FREE : ARP;
    case "other":
      return FREE;
    case "ip": {
      const receiver = land.holding(packet.outBridge, packet.destination);
      if (receiver === null || !isDelivered(receiver, packet)) return UNDELIVERED;
      if (packet.path === "from-host") return judged(land.fromHost(receiver, packet));
      if (packet.state === "invalid") return INVALID;
      const judgement = land.inwards(receiver, packet);
      return judgement.action === "allow" && bearsOurs(land, packet) ? FREE : judged(judgement);
    }
  }
};

const fromBound = (land: Land, sender: BoundAttachment, packet: Packet): Opinion => {
  if (packet.path === "link-local") return UNCHECKED;
  const differs = departsFromBinding(sender, packet);
  if (differs !== null) {
    return opinion("deny", { kind: "binding", holder: sender.holder, differs });
  }
  if (packet.etherType === "arp") {
    return packet.path === "to-host" || land.behind(packet.outPort) !== null ? ARP : UNDELIVERED;
  }
  if (packet.path === "to-host") return notInvalid(packet) ?? judged(land.toHost(sender, packet));
  if (!land.owns(packet.outBridge)) {
    if (packet.state === "invalid") return INVALID;
    const judgement = land.outwards(sender, packet);
    // No route leads there: what lies on the authority's own networks leaves by their bridges.
    if (judgement.action === "allow" && land.spans(packet.destination)) return FREE;
    return judged(judgement, packet.state === "new");
  }
  const receiver = land.holding(packet.outBridge, packet.destination);
  if (receiver === null || !isDelivered(receiver, packet)) return UNDELIVERED;
  return notInvalid(packet) ?? judged(land.between(sender, receiver, packet));
};

const notInvalid = ({ state }: Packet): Opinion | null => (state === "invalid" ? INVALID : null);

/**
 * Whether somebody elsewhere bears a bound MAC or an address of these networks. Such may be dropped
 * or not: where the kernel can't say of which bridge a port is, that is how strangers are told.
 */
const bearsOurs = (land: Land, packet: Packet): boolean =>
  land.bears(packet.sourceMac) ||
  (packet.etherType === "arp" && land.bears(packet.arpMac)) ||
  ((packet.etherType === "arp" || packet.etherType === "ip") && land.spans(packet.source));

const amongOthers = (land: Land, packet: Packet): Opinion =>
  bearsOurs(land, packet) || (packet.etherType === "ip" && land.spans(packet.destination))
    ? FREE
    : SILENT;

const opinionIn = (land: Land, packet: Packet): Opinion => {
  if (!land.owns(packet.inBridge)) {
    return land.owns(packet.outBridge) ? fromElsewhere(land, packet) : amongOthers(land, packet);
  }
  const sender = land.behind(packet.inPort);
  return sender === null ? fromUnbound(land, packet) : fromBound(land, sender, packet);
};

/** What a plan means for any packet at all; keeps what it worked out, so ask one for many packets. */
export const scenarioMeaning = (bound: BoundScenario): ((packet: Packet) => Opinion) => {
  const land = scenarioLand(bound);
  return (packet) => opinionIn(land, packet);
};

/** What a policy means for any packet at all. */
export const platformMeaning = (bound: BoundPlatform): ((packet: Packet) => Opinion) => {
  const land = platformLand(bound);
  return (packet) => opinionIn(land, packet);
};

/** The intersection: what neither authority denies. */
export const expectedAction = (boundary: Boundary, packet: Packet): Action =>
  opinionsOf(boundary, packet).some(({ action }) => action === "deny") ? "deny" : "allow";

const opinionsOf = ({ scenario, platform }: Boundary, packet: Packet): readonly Opinion[] => [
  ...(scenario === null ? [] : [scenarioMeaning(scenario)(packet)]),
  ...(platform === null ? [] : [platformMeaning(platform)(packet)]),
];
