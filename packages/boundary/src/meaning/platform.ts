import {
  type BoundAttachment,
  type BoundCrossing,
  type BoundPlatform,
  type BoundPublication,
  contains,
  type Flow,
  type Ground,
  type Ipv4,
  type Judgement,
  type Packet,
  SPECIAL_RANGES,
} from "../model/index.js";
import type { Service } from "./scenario.js";
import { belongsToFlow, byState } from "./state.js";

const allow = (ground: Ground): Judgement => ({ action: "allow", grounds: [ground] });
const deny = (ground: Ground): Judgement => ({ action: "deny", grounds: [ground] });

const DEFAULT: Ground = { kind: "default", authority: "platform" };

const addressOf = ({ attachments }: BoundPlatform, end: Flow["source"]): Ipv4 | undefined =>
  attachments.find(({ holder, network }) => holder === end.holder && network === end.network)?.ipv4;

/** The crossings from one anchor's place to another's: both on the one network that they share. */
const crossingsBetween = (
  bound: BoundPlatform,
  source: Flow["source"],
  destination: Flow["destination"],
): readonly BoundCrossing[] =>
  bound.crossings.filter(
    ({ network, sourceIpv4, destinationIpv4 }) =>
      source.network === network &&
      destination.network === network &&
      addressOf(bound, source) === sourceIpv4 &&
      addressOf(bound, destination) === destinationIpv4,
  );

/** What a policy says about a new flow between two of its anchors: a signed crossing, or nothing. */
export const judgePlatform = (bound: BoundPlatform, flow: Flow): Judgement =>
  judgeCrossing(bound, flow.source, flow.destination, flow);

export const judgeCrossing = (
  bound: BoundPlatform,
  source: Flow["source"],
  destination: Flow["destination"],
  service: Service,
): Judgement => {
  const crossing = crossingsBetween(bound, source, destination).find(
    ({ protocol, ports }) =>
      service.protocol === protocol && ports.includes(service.port ?? Number.NaN),
  );
  return crossing === undefined
    ? deny(DEFAULT)
    : allow({ kind: "crossing", purpose: crossing.purpose, line: crossing.line });
};

/**
 * What a policy says about a new flow from the egress anchor's egress address to outside: names from
 * signed resolvers, wherever they are; then nothing special-purpose; then the signed authorities'
 * ports, since which name is meant is the broker's to know.
 */
export const judgeDeparture = (
  egress: BoundPlatform["egress"],
  destination: Ipv4,
  service: Service,
): Judgement => {
  if (egress === null) return deny(DEFAULT);
  if (egress.resolvers.includes(destination) && isDns(service)) {
    return allow({ kind: "resolver", address: destination });
  }
  const range = SPECIAL_RANGES.find((block) => contains(block, destination));
  if (range !== undefined) return deny({ kind: "special-range", range });
  if (service.protocol !== "tcp") return deny(DEFAULT);
  const authorities = egress.authorities.filter(({ port }) => port === service.port);
  return authorities.length === 0
    ? deny(DEFAULT)
    : allow({ kind: "egress", authorities: authorities.map(({ authority }) => authority) });
};

/** RFC 1035 4.2: names are asked for over UDP, and over TCP where an answer is too long. */
const DNS_PORT = 53;

const isDns = (service: Service): boolean =>
  (service.protocol === "udp" || service.protocol === "tcp") && service.port === DNS_PORT;

/**
 * What comes back on a crossing: replies by its protocol, and ICMP errors either way. Null for what
 * answers none. Nobody else's connection is heard of here, so each packet of one is judged.
 */
export const judgeReply = (
  { crossings }: BoundPlatform,
  sender: BoundAttachment,
  receiver: BoundAttachment,
  packet: Packet,
): Judgement | null => {
  if (!belongsToFlow(packet)) return null;
  const answers = crossings.some(({ network, sourceIpv4, destinationIpv4, protocol }) => {
    if (sender.network !== network || receiver.network !== network) return false;
    const there = sender.ipv4 === sourceIpv4 && receiver.ipv4 === destinationIpv4;
    const back = sender.ipv4 === destinationIpv4 && receiver.ipv4 === sourceIpv4;
    return packet.state === "related" ? there || back : back && packet.protocol === protocol;
  });
  return answers ? byState("allow", packet) : null;
};

const publishedOf = (
  { publications }: BoundPlatform,
  { network, ipv4 }: BoundAttachment,
): readonly BoundPublication[] =>
  publications.filter(({ target }) => target.network === network && target.ipv4 === ipv4);

/** From the host, which is trusted to say nothing but what a publication's client says. */
export const judgePublication = (
  bound: BoundPlatform,
  receiver: BoundAttachment,
  packet: Packet,
): Judgement => {
  const publication = publishedOf(bound, receiver).find(
    ({ target, protocol }) => protocol === packet.protocol && target.port === packet.port,
  );
  return publication === undefined
    ? deny(DEFAULT)
    : allow({ kind: "publication", audience: publication.audience });
};

/** To the host: what a publication's target answers. */
export const judgePublicationReply = (
  bound: BoundPlatform,
  sender: BoundAttachment,
  packet: Packet,
): Judgement => {
  const answers = publishedOf(bound, sender).some(
    ({ protocol }) =>
      belongsToFlow(packet) && (packet.state === "related" || packet.protocol === protocol),
  );
  return answers ? byState("allow", packet) : deny(DEFAULT);
};
