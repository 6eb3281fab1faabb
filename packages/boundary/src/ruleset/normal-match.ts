import { quote } from "@drydock/evidence";
import type { CtState, EtherType, Match, PortRange, Protocol } from "../model/index.js";
import { mergeCidrs, mergePorts } from "./merge.js";
import { isInterfaceName, isMac } from "./names.js";
import { refuse } from "./refuse.js";

/** What nft itself takes as one set without complaint is far more; a rule with more is a mistake. */
const MAX_ELEMENTS = 4096;

/**
 * One match in its only spelling: sets ascending and without repetition, neighbours merged, a
 * negation that can be written without one written without.
 *
 * @throws DrydockError RULESET_INVALID for a value that has no spelling
 */
export const normalMatch = (match: Match): Match => {
  switch (match.kind) {
    case "iifname":
    case "oifname":
    case "ibrname":
    case "obrname":
      return { kind: match.kind, is: texts(match.is, isInterfaceName), not: match.not };
    case "ether-source":
    case "arp-sender-ether":
      return { kind: match.kind, is: texts(match.is, isMac), not: match.not };
    case "ether-type":
      return { kind: match.kind, is: words(match.is, ETHER_TYPES), not: match.not };
    case "l4proto":
      return { kind: match.kind, is: words(match.is, PROTOCOLS), not: match.not };
    case "ct-state":
      return { kind: match.kind, is: words(match.is, CT_STATES), not: match.not };
    case "nfproto":
      return match.is === "ipv4" || match.is === "ipv6"
        ? { kind: match.kind, is: match.is }
        : refuse(`${quote(match.is)} is no nfproto`);
    case "ip-source":
    case "ip-destination":
    case "arp-sender-ip":
      return { kind: match.kind, is: mergeCidrs(some(match.is.map(checkCidr))), not: match.not };
    case "destination-port":
      return {
        kind: match.kind,
        protocol: match.protocol,
        is: mergePorts(some(match.is.map(checkPorts))),
      };
    case "mark":
      return normalMark(match.mask, match.value, match.not);
  }
};

const ETHER_TYPES: readonly EtherType[] = ["arp", "ip", "ip6"];
const PROTOCOLS: readonly Protocol[] = ["icmp", "tcp", "udp"];
const CT_STATES: readonly CtState[] = ["established", "invalid", "new", "related", "untracked"];
const U32 = 2 ** 32;

const normalMark = (mask: number, value: number, not: boolean): Match => {
  if (!isU32(mask) || mask === 0) return refuse(`${mask} is no mask of a mark`);
  // Such a rule matches always or never, which nobody can have meant.
  if (!isU32(value) || (value & ~mask) !== 0) return refuse(`${value} is outside of mask ${mask}`);
  const oneBit = (mask & (mask - 1)) === 0;
  return not && oneBit
    ? { kind: "mark", mask, value: value === 0 ? mask : 0, not: false }
    : { kind: "mark", mask, value, not };
};

const isU32 = (value: number): boolean => Number.isInteger(value) && value >= 0 && value < U32;

const texts = (
  values: readonly string[],
  isValid: (text: string) => boolean,
): readonly string[] => {
  for (const value of some(values)) {
    if (!isValid(value)) refuse(`${quote(value)} can't be matched`);
  }
  return ascending(values);
};

const words = <W extends string>(values: readonly W[], known: readonly W[]): readonly W[] => {
  for (const value of some(values)) {
    if (!known.includes(value)) refuse(`${quote(value)} is none of ${known.join(", ")}`);
  }
  return ascending(values);
};

const ascending = <V extends string | number>(values: readonly V[]): readonly V[] =>
  values.length === 1 ? values : [...new Set(values)].sort((a, b) => (a < b ? -1 : 1));

const some = <V>(values: readonly V[]): readonly V[] => {
  if (values.length === 0) return refuse("a set without elements matches never or always");
  if (values.length > MAX_ELEMENTS) return refuse(`a set of more than ${MAX_ELEMENTS} elements`);
  return values;
};

const checkCidr = (block: { readonly base: number; readonly prefix: number }) => {
  const { base, prefix } = block;
  const valid = isU32(base) && Number.isInteger(prefix) && prefix >= 0 && prefix <= 32;
  return valid && base % 2 ** (32 - prefix) === 0
    ? { base, prefix }
    : refuse(`${base}/${prefix} is no block of addresses`);
};

const checkPorts = ({ first, last }: PortRange): PortRange => {
  const valid = Number.isInteger(first) && Number.isInteger(last);
  return valid && first >= 0 && first <= last && last <= 65_535
    ? { first, last }
    : refuse(`${first}-${last} is no range of ports`);
};
