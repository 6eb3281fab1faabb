import { type Cidr, firstOf, lastOf, type Match, type PortRange } from "../../model/index.js";
import { bitOf, type Field, type FieldSet, type Header } from "./field.js";
import type { Visit } from "./visit.js";

/** A match, made ready to be tried often. */
export interface Test {
  readonly match: Match;
  /** What it looks at in a packet's header; null for interfaces, family and mark. */
  readonly field: Field | null;
  /** The field as a set. */
  readonly needs: FieldSet;
  readonly names: ReadonlySet<string>;
  readonly ranges: readonly PortRange[];
}

/** An answer, or that it depends on a field that nobody has decided yet. */
export type Answer = true | false | undefined;

const NO_NAMES: ReadonlySet<string> = new Set();

const rangesOf = (blocks: readonly Cidr[]): readonly PortRange[] =>
  blocks.map((block) => ({ first: firstOf(block), last: lastOf(block) }));

export const testOf = (match: Match): Test => {
  const named = (field: Field | null, is: readonly string[]): Test => ({
    match,
    field,
    needs: field === null ? 0 : bitOf(field),
    names: new Set(is),
    ranges: [],
  });
  const ranged = (field: Field, ranges: readonly PortRange[]): Test => ({
    match,
    field,
    needs: bitOf(field),
    names: NO_NAMES,
    ranges,
  });
  switch (match.kind) {
    case "iifname":
    case "oifname":
    case "ibrname":
    case "obrname":
      return named(null, match.is);
    case "ether-source":
      return named("sourceMac", match.is);
    case "ether-type":
      return named("etherType", match.is);
    case "arp-sender-ether":
      return named("arpMac", match.is);
    case "arp-sender-ip":
    case "ip-source":
      return ranged("source", rangesOf(match.is));
    case "ip-destination":
      return ranged("destination", rangesOf(match.is));
    case "l4proto":
      return named("protocol", match.is);
    case "destination-port":
      return ranged("port", match.is);
    case "ct-state":
      return named("state", match.is);
    case "nfproto":
    case "mark":
      return named(null, []);
  }
};

const within = (ranges: readonly PortRange[], value: number): boolean => {
  for (const { first, last } of ranges) if (value >= first && value <= last) return true;
  return false;
};

const isNamed = ({ names }: Test, value: string, not: boolean): boolean => names.has(value) !== not;

const PROTOCOL = bitOf("protocol");

/**
 * Whether a match holds at a hook. A match on what a packet doesn't have breaks the rule, whether or
 * not it's negated: `ip saddr != x` is no match for ARP (nft adds the dependency). Marks are not
 * decided here.
 *
 * @param tracked whether connection tracking has seen the packet yet
 */
export const tryTest = (
  test: Test,
  visit: Visit,
  tracked: boolean,
  header: Header,
  known: FieldSet,
): Answer => {
  const { match } = test;
  const isKnown = (known & test.needs) !== 0;
  const { etherType } = header;
  switch (match.kind) {
    case "iifname":
    case "oifname":
    case "ibrname":
    case "obrname":
      return isNamed(test, visit[match.kind], match.not);
    case "ether-type":
      return isNamed(test, etherType, match.not);
    case "nfproto":
      return visit.family === "inet" && (match.is === "ipv4") === (etherType === "ip");
    case "ether-source":
      // A packet of the host's own has no Ethernet header yet.
      if (visit.iifname === "") return false;
      return isKnown ? isNamed(test, header.sourceMac, match.not) : undefined;
    case "arp-sender-ether":
      if (etherType !== "arp") return false;
      return isKnown ? isNamed(test, header.arpMac, match.not) : undefined;
    case "arp-sender-ip":
      if (etherType !== "arp") return false;
      return isKnown ? within(test.ranges, header.source) !== match.not : undefined;
    case "ip-source":
      if (etherType !== "ip") return false;
      return isKnown ? within(test.ranges, header.source) !== match.not : undefined;
    case "ip-destination":
      if (etherType !== "ip") return false;
      return isKnown ? within(test.ranges, header.destination) !== match.not : undefined;
    case "l4proto":
      if (etherType !== "ip" && etherType !== "ip6") return false;
      return isKnown ? isNamed(test, header.protocol, match.not) : undefined;
    case "destination-port":
      if (etherType !== "ip" && etherType !== "ip6") return false;
      if ((known & PROTOCOL) === 0) return undefined;
      if (header.protocol !== match.protocol) return false;
      return isKnown ? within(test.ranges, header.port) : undefined;
    case "ct-state":
      if (!tracked || (etherType !== "ip" && etherType !== "ip6")) {
        return isNamed(test, "invalid", match.not);
      }
      return isKnown ? isNamed(test, header.state, match.not) : undefined;
    case "mark":
      return undefined;
  }
};
