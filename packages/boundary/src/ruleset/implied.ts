import type { Effect, EtherType, Family, Match, Protocol } from "../model/index.js";
import { refuse } from "./refuse.js";

type MatchOf<K extends Match["kind"]> = Extract<Match, { readonly kind: K }>;

/**
 * A rule's matches without those that another one of them implies. nft adds such a match when it
 * loads (`ip saddr` needs an IPv4 packet, `tcp dport` TCP) and leaves it out when it lists, whether
 * it was written or not; so a listing can't tell, and equal has to mean: equal without them.
 *
 * A match that another one contradicts is refused, as nft refuses most of them: a rule that never
 * matches is a mistake.
 *
 * @throws DrydockError RULESET_INVALID
 */
export const withoutImplied = (
  family: Family,
  matches: readonly Match[],
  effect: Effect,
): readonly Match[] => {
  checkKinds(family, matches);
  const needed = needs(matches, effect);
  if (!matches.some(({ kind }) => SINGLE.includes(kind))) return matches;
  return matches.flatMap((match) => {
    switch (match.kind) {
      case "l4proto":
        return needed.protocol !== null && implies(needed.protocol, match) ? [] : [match];
      case "nfproto":
        if (needed.etherType === null) return [match];
        return match.is === "ipv4" && needed.etherType === "ip"
          ? []
          : refuse(`nfproto ${match.is} and a match that needs ${needed.etherType} in one rule`);
      case "ether-type":
        if (needed.etherType !== null) return implies(needed.etherType, match) ? [] : [match];
        return needed.transport ? ofTransport(match) : [match];
      default:
        return [match];
    }
  });
};

/** What a packet has to be for matches to mean anything. */
export interface Needs {
  readonly etherType: "ip" | "arp" | null;
  readonly protocol: "tcp" | "udp" | null;
  /** Whether it has to carry a transport protocol at all. */
  readonly transport: boolean;
}

/**
 * @param effect that the matches lead to: a look-up of an address needs one to be there
 * @throws DrydockError RULESET_INVALID when no packet is all of it
 */
export const needs = (matches: readonly Match[], effect: Effect): Needs => {
  let etherType: Needs["etherType"] = looksUpAddress(effect) ? "ip" : null;
  let protocol: Needs["protocol"] = null;
  let transport = false;
  for (const match of matches) {
    const type = etherTypeOf(match);
    if (type !== null && etherType !== null && type !== etherType) {
      return refuse("matches of IP and of ARP in one rule");
    }
    etherType ??= type;
    if (match.kind === "destination-port") protocol = match.protocol;
    if (match.kind === "destination-port" || match.kind === "l4proto") transport = true;
  }
  return etherType === "arp" && transport
    ? refuse("matches of ARP and of a transport protocol in one rule")
    : { etherType, protocol, transport };
};

const looksUpAddress = (effect: Effect): boolean =>
  effect.kind === "dispatch" && (effect.by === "ip-source" || effect.by === "ip-destination");

/** What one match alone needs; null: anything. */
export const etherTypeOf = (match: Match): Needs["etherType"] => {
  switch (match.kind) {
    case "ip-source":
    case "ip-destination":
      return "ip";
    case "arp-sender-ip":
    case "arp-sender-ether":
      return "arp";
    case "l4proto":
      // ICMP is IPv4's (RFC 792): `meta nfproto ipv4 meta l4proto icmp` is listed without its
      // first part. The printer always writes it, so that IPv6's next header 1 never matches.
      return !match.not && match.is.length === 1 && match.is[0] === "icmp" ? "ip" : null;
    default:
      return null;
  }
};

/** A transport protocol is IPv4's or IPv6's, and which of the two may be all that is left to say. */
const ofTransport = ({ is, not }: MatchOf<"ether-type">): readonly Match[] => {
  const carriers = (["ip", "ip6"] as const).filter((type) => is.includes(type) !== not);
  if (carriers.length === 2) return [];
  return carriers.length === 1
    ? [{ kind: "ether-type", is: carriers, not: false }]
    : refuse("a transport protocol in a frame that is neither IPv4 nor IPv6");
};

const implies = <V extends EtherType | Protocol>(
  value: V,
  match: { readonly kind: string; readonly is: readonly V[]; readonly not: boolean },
): true =>
  match.is.includes(value) !== match.not
    ? true
    : refuse(`a match of ${match.kind} and one that needs ${value} contradict each other`);

const checkKinds = (family: Family, matches: readonly Match[]): void => {
  for (const [index, { kind }] of matches.entries()) {
    const only = FAMILY[kind];
    if (only !== undefined && only !== family) refuse(`${kind} in family ${family}`);
    if (SINGLE.includes(kind) && matches.findIndex((match) => match.kind === kind) < index) {
      refuse(`${kind} twice in a rule`);
    }
  }
};

/** Matches of one family alone. */
const FAMILY: Readonly<Partial<Record<Match["kind"], Family>>> = {
  ibrname: "bridge",
  obrname: "bridge",
  "ether-source": "bridge",
  "ether-type": "bridge",
  "arp-sender-ip": "bridge",
  "arp-sender-ether": "bridge",
  nfproto: "inet",
};

/** Two of these are one, or a contradiction that nft refuses in its own way. */
const SINGLE: readonly Match["kind"][] = ["nfproto", "l4proto", "ether-type", "destination-port"];
