import {
  type BoundAttachment,
  type BoundPlatform,
  type BoundScenario,
  type Cidr,
  firstOf,
  type Ipv4,
  lastOf,
  type PortRange,
  SPECIAL_RANGES,
} from "../model/index.js";
import { type Distinctions, INDIFFERENT, type RangeSet } from "./classes.js";
import { bitOf, type Field, type FieldSet, type Header } from "./kernel/field.js";
import type { Way } from "./kernel/visit.js";

/** What a bound boundary tells apart of a field, on a way and given the fields before. */
export type Constants = (field: Field, way: Way, header: Header, known: FieldSet) => Distinctions;

const just = (value: number): PortRange => ({ first: value, last: value });
const block = (cidr: Cidr): PortRange => ({ first: firstOf(cidr), last: lastOf(cidr) });

const names = (...sets: readonly (readonly string[])[]): Distinctions => ({
  names: sets.map((set) => new Set(set)),
  ranges: [],
});
const ranges = (...sets: readonly RangeSet[]): Distinctions => ({ names: [], ranges: sets });

const STATES = names(["new"], ["untracked"], ["established"], ["related"], ["invalid"]);

/** A scenario masquerades nothing, so that what opens a flow is alike; so is related but for ICMP. */
const SCENARIO_STATES = names(["established"], ["related"], ["invalid"]);
const SCENARIO_STATES_BUT_ICMP = names(["established"], ["invalid"]);

const PROTOCOLS = names(["tcp"], ["udp"], ["icmp"], ["other"]);

interface Ground {
  readonly bridges: ReadonlySet<string>;
  readonly blocks: RangeSet;
  readonly attachments: readonly BoundAttachment[];
  /** Beside the addresses that are attached where a packet goes. */
  readonly destinations: readonly RangeSet[];
  readonly states: (protocol: Header["protocol"] | null) => Distinctions;
  readonly ports: (
    protocol: Header["protocol"],
    sender: BoundAttachment | undefined,
    receiver: BoundAttachment | undefined,
  ) => readonly RangeSet[];
}

const constantsOf = (ground: Ground): Constants => {
  const { bridges, blocks, attachments, destinations, ports, states } = ground;
  const everyMac = names(attachments.map(({ mac }) => mac));
  const ofPort = new Map(attachments.map((attachment) => [attachment.port, attachment]));
  const ownMac = new Map(attachments.map(({ mac }) => [mac, names([mac])]));
  const ownAddress = new Map(attachments.map(({ ipv4 }) => [ipv4, ranges([just(ipv4)])]));
  const addressesOn = new Map(
    [...bridges].map((bridge) => [
      bridge,
      ranges(
        ...attachments
          .filter((attachment) => attachment.bridge === bridge)
          .map(({ ipv4 }) => [just(ipv4)]),
      ),
    ]),
  );
  const everySource = ranges(blocks);
  const everyDestination = ranges(...destinations, blocks);
  const receiverOn = (bridge: string, address: Ipv4): BoundAttachment | undefined =>
    attachments.find((attachment) => attachment.bridge === bridge && attachment.ipv4 === address);

  return (field, way, header, known) => {
    const sender = way.inPort === null ? undefined : ofPort.get(way.inPort);
    switch (field) {
      case "etherType":
        return INDIFFERENT;
      case "protocol":
        return PROTOCOLS;
      case "sourceMac":
      case "arpMac":
        if (sender !== undefined) return ownMac.get(sender.mac) ?? INDIFFERENT;
        return everyMac;
      case "source":
        if (sender !== undefined) return ownAddress.get(sender.ipv4) ?? INDIFFERENT;
        return everySource;
      case "destination":
        return addressesOn.get(way.outBridge ?? "") ?? everyDestination;
      case "state":
        return states((known & bitOf("protocol")) === 0 ? null : header.protocol);
      case "port":
        return ranges(
          ...ports(
            header.protocol,
            sender,
            way.outBridge === null ? undefined : receiverOn(way.outBridge, header.destination),
          ),
        );
    }
  };
};

const bound = (attachments: readonly BoundAttachment[]): readonly BoundAttachment[] =>
  attachments.filter(({ port }) => port !== null);

export const scenarioConstants = ({ networks, attachments, rules }: BoundScenario): Constants => {
  const keyOf = (owner: string, protocol: string): string => `${owner} ${protocol}`;
  const listed = new Map<string, readonly RangeSet[]>();
  for (const { owner, protocol, ports } of rules) {
    const key = keyOf(owner, protocol);
    listed.set(key, [...(listed.get(key) ?? []), ports.map(just)]);
  }
  return constantsOf({
    bridges: new Set(networks.map(({ bridge }) => bridge)),
    blocks: networks.map(({ cidr }) => block(cidr)),
    attachments: bound(attachments),
    destinations: [],
    states: (protocol) =>
      protocol === null || protocol === "icmp" ? SCENARIO_STATES : SCENARIO_STATES_BUT_ICMP,
    ports: (protocol, sender, receiver) =>
      [sender, receiver]
        .flatMap((end) => (end === undefined ? [] : [end.holder, end.network]))
        .flatMap((owner) => listed.get(keyOf(owner, protocol)) ?? []),
  });
};

/** RFC 1035 4.2. */
const DNS_PORT = 53;

export const platformConstants = ({
  networks,
  attachments,
  crossings,
  egress,
  publications,
}: BoundPlatform): Constants => {
  const ports: readonly RangeSet[] = [
    [just(DNS_PORT)],
    (egress?.authorities ?? []).map(({ port }) => just(port)),
    ...crossings.map((crossing) => crossing.ports.map(just)),
    ...publications.map(({ target }) => [just(target.port)]),
  ];
  return constantsOf({
    bridges: new Set(Object.values(networks).map(({ bridge }) => bridge)),
    blocks: Object.values(networks).map(({ cidr }) => block(cidr)),
    attachments: bound(attachments),
    destinations: [SPECIAL_RANGES.map(block), (egress?.resolvers ?? []).map(just)],
    states: () => STATES,
    ports: () => ports,
  });
};
