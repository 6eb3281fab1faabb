import type { CtState, EtherType, PortRange, Protocol } from "../model/index.js";
import { bitOf, type Field, type FieldSet, type Header } from "./kernel/field.js";
import type { Item, Segment } from "./kernel/program.js";
import type { Test } from "./kernel/test.js";

/** What somebody tells apart of a field: names, or ranges of numbers. */
export interface Distinctions {
  readonly names: readonly ReadonlySet<string>[];
  readonly ranges: readonly PortRange[];
}

export const INDIFFERENT: Distinctions = { names: [], ranges: [] };

/** The fields that the rules that are left look at. */
export const fieldsOf = (segments: readonly Segment[]): FieldSet => {
  let fields = 0;
  const walk = (items: readonly Item[]): void => {
    for (const { tests, body } of items) {
      for (const { field } of tests) if (field !== null) fields |= bitOf(field);
      walk(body);
    }
  };
  for (const { items, nat } of segments) {
    walk(items);
    if (nat) fields |= bitOf("state");
  }
  return (fields & bitOf("port")) === 0 ? fields : fields | bitOf("protocol");
};

/** What the rules that are left tell apart. */
export const distinctionsOf = (segments: readonly Segment[], field: Field): Distinctions => {
  const names = new Set<ReadonlySet<string>>();
  const ranges: PortRange[] = [];
  const note = (test: Test): void => {
    if (field === "protocol" && test.match.kind === "destination-port") {
      names.add(ONLY[test.match.protocol]);
    }
    if (test.field !== field) return;
    if (test.names.size > 0) names.add(test.names);
    for (const range of test.ranges) ranges.push(range);
  };
  const walk = (items: readonly Item[]): void => {
    for (const { tests, body } of items) {
      for (const test of tests) note(test);
      walk(body);
    }
  };
  for (const { items, nat } of segments) {
    walk(items);
    if (nat && field === "state") names.add(FIRST_PACKETS);
  }
  return { names: [...names], ranges };
};

/** A match on a port demands its protocol. */
const ONLY = { tcp: new Set(["tcp"]), udp: new Set(["udp"]) } as const;

/** A nat chain sees a flow's first packet and no other. */
const FIRST_PACKETS: ReadonlySet<string> = new Set(["new"]);

const ETHER_TYPES: readonly (EtherType | "other")[] = ["ip", "arp", "ip6", "other"];
const PROTOCOLS: readonly (Protocol | "other")[] = ["tcp", "udp", "icmp", "other"];
const STATES: readonly CtState[] = ["new", "established", "related", "invalid", "untracked"];

/** Locally administered, so nobody's; another one where somebody names it after all. */
const NOBODYS_MACS = [0, 1, 2].map((last) => `0e:dd:00:00:00:0${last}`);

/** One value of each class that is told apart: equal in every set of names. */
const namedClasses = <Name extends string>(
  candidates: Iterable<Name>,
  sets: readonly ReadonlySet<string>[],
): readonly Name[] => {
  const representatives = new Map<string, Name>();
  for (const candidate of candidates) {
    const signature = sets.map((set) => (set.has(candidate) ? "1" : "0")).join("");
    if (!representatives.has(signature)) representatives.set(signature, candidate);
  }
  return [...representatives.values()];
};

/**
 * One value of each stretch between two boundaries; those that no range holds are one class, "none
 * of these".
 */
const rangedClasses = (ranges: readonly PortRange[], max: number): readonly number[] => {
  const opening = ranges.map(({ first }) => first).sort(ascending);
  const closing = ranges.map(({ last }) => last + 1).sort(ascending);
  const values: number[] = [];
  let hasNone = false;
  let opened = 0;
  let closed = 0;
  for (let at = 0; at <= max; ) {
    while (opened < opening.length && (opening[opened] as number) <= at) opened++;
    while (closed < closing.length && (closing[closed] as number) <= at) closed++;
    const isNone = opened === closed;
    if (!isNone || !hasNone) values.push(at);
    hasNone ||= isNone;
    at = Math.min(opening[opened] ?? max + 1, closing[closed] ?? max + 1);
  }
  return values;
};

const ascending = (one: number, other: number): number => one - other;

const MAX_ADDRESS = 2 ** 32 - 1;
const MAX_PORT = 65_535;

/** A value of each class of a field: whatever rules and meaning tell apart, and none of these. */
export const classesOf = <F extends Field>(
  field: F,
  told: readonly Distinctions[],
): readonly Header[F][] => classesByField(field, told) as readonly Header[F][];

const setsOf = (told: readonly Distinctions[]): readonly ReadonlySet<string>[] => [
  ...new Set(told.flatMap(({ names }) => names)),
];

const rangesOf = (told: readonly Distinctions[]): readonly PortRange[] =>
  told.flatMap(({ ranges }) => ranges);

const classesByField = (field: Field, told: readonly Distinctions[]): readonly Header[Field][] => {
  switch (field) {
    case "etherType":
      return ETHER_TYPES;
    case "sourceMac":
    case "arpMac": {
      const sets = setsOf(told);
      return namedClasses([...NOBODYS_MACS, ...sets.flatMap((set) => [...set])], sets);
    }
    case "source":
    case "destination":
      return rangedClasses(rangesOf(told), MAX_ADDRESS);
    case "state":
      return namedClasses(STATES, setsOf(told));
    case "protocol":
      return namedClasses(PROTOCOLS, setsOf(told));
    case "port":
      return rangedClasses(rangesOf(told), MAX_PORT);
  }
};
