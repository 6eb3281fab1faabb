import {
  type BoundAttachment,
  type BoundNetwork,
  type BoundPlatform,
  type BoundScenario,
  contains,
  type Ipv4,
  type Judgement,
  type Packet,
} from "../model/index.js";
import {
  judgeCrossing,
  judgeDeparture,
  judgePublication,
  judgePublicationReply,
  judgeReply,
} from "./platform.js";
import { judgeAmong, voicesAmong } from "./scenario.js";
import { belongsToFlow, byState } from "./state.js";

/** An authority's networks, who is attached to them, and what it says at their borders. */
export interface Land extends Places {
  /** From one attachment to another. */
  readonly between: (
    sender: BoundAttachment,
    receiver: BoundAttachment,
    packet: Packet,
  ) => Judgement;
  /** Out of the authority's networks. */
  readonly outwards: (sender: BoundAttachment, packet: Packet) => Judgement;
  /** Into them. */
  readonly inwards: (receiver: BoundAttachment, packet: Packet) => Judgement;
  readonly toHost: (sender: BoundAttachment, packet: Packet) => Judgement;
  readonly fromHost: (receiver: BoundAttachment, packet: Packet) => Judgement;
}

interface Places {
  readonly owns: (bridge: string | null) => boolean;
  /** Whom a port is bound to. */
  readonly behind: (port: string | null) => BoundAttachment | null;
  /** Who is bound to an address on a bridge. */
  readonly holding: (bridge: string | null, address: Ipv4) => BoundAttachment | null;
  /** Whether a MAC is bound to one of the ports. */
  readonly bears: (mac: string) => boolean;
  /** Whether an address lies in one of the networks. */
  readonly spans: (address: Ipv4) => boolean;
}

const NO_PATH: Judgement = { action: "deny", grounds: [{ kind: "no-path" }] };

/** Without a port nothing of an attachment is bound. */
const placesOf = (
  networks: readonly BoundNetwork[],
  attachments: readonly BoundAttachment[],
): Places => {
  const bridges = new Set(networks.map(({ bridge }) => bridge));
  const bound = attachments.filter(({ port }) => port !== null);
  const byPort = new Map(bound.map((attachment) => [attachment.port, attachment]));
  const macs = new Set(bound.map(({ mac }) => mac));
  const byBridge = new Map(
    networks.map(({ bridge }) => [
      bridge,
      new Map(
        bound
          .filter((attachment) => attachment.bridge === bridge)
          .map((attachment) => [attachment.ipv4, attachment]),
      ),
    ]),
  );
  return {
    owns: (bridge) => bridge !== null && bridges.has(bridge),
    behind: (port) => (port === null ? null : (byPort.get(port) ?? null)),
    holding: (bridge, address) =>
      bridge === null ? null : (byBridge.get(bridge)?.get(address) ?? null),
    bears: (mac) => macs.has(mac),
    spans: (address) => networks.some(({ cidr }) => contains(cidr, address)),
  };
};

/** Nothing passes between a scenario's networks and anything that is none. */
export const scenarioLand = (bound: BoundScenario): Land => {
  const voices = voicesAmong(bound.rules);
  return {
    ...placesOf(bound.networks, bound.attachments),
    between: (sender, receiver, packet) => {
      if (belongsToFlow(packet)) return byState("allow", packet);
      return judgeAmong(voices(sender, receiver), bound.default, packet);
    },
    outwards: () => NO_PATH,
    inwards: () => NO_PATH,
    toHost: () => NO_PATH,
    fromHost: () => NO_PATH,
  };
};

/** Anchors meet on the network that they share, the egress anchor goes out, the host publishes. */
export const platformLand = (bound: BoundPlatform): Land => {
  const { egress, networks } = bound;
  const isEgress = ({ network, ipv4 }: BoundAttachment): boolean =>
    egress !== null && network === networks.egress.address && ipv4 === egress.ipv4;
  return {
    ...placesOf(Object.values(networks), bound.attachments),
    between: (sender, receiver, packet) =>
      judgeReply(bound, sender, receiver, packet) ?? judgeCrossing(bound, sender, receiver, packet),
    outwards: (sender, packet) =>
      isEgress(sender) ? judgeDeparture(egress, packet.destination, packet) : NO_PATH,
    inwards: (receiver, packet) =>
      isEgress(receiver) && belongsToFlow(packet) ? byState("allow", packet) : NO_PATH,
    toHost: (sender, packet) => judgePublicationReply(bound, sender, packet),
    fromHost: (receiver, packet) => judgePublication(bound, receiver, packet),
  };
};
