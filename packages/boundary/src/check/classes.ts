import type { CtState, EtherType, PortRange, Protocol } from "../model/index.js";
import { bitOf, type Field, type FieldSet, type Header } from "./kernel/field.js";
import type { Item, Segment } from "./kernel/program.js";
import type { Test } from "./kernel/test.js";

/** Numbers that somebody treats alike. */
export type RangeSet = readonly PortRange[];

/** What somebody tells apart of a field, by sets of names or of numbers. */
export interface Distinctions {
  readonly names: readonly ReadonlySet<string>[];
  readonly ranges: readonly RangeSet[];
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
  const ranges: RangeSet[] = [];
  const note = (test: Test): void => {
    if (field === "protocol" && test.match.kind === "destination-port") {
      names.add(ONLY[test.match.protocol]);
    }
    if (test.field !== field) return;
    if (test.names.size > 0) names.add(test.names);
    if (test.ranges.length > 0) ranges.push(test.ranges);
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

/** Boundaries are sorted as numbers: where, then of which set, then whether it opens there. */
const MAX_SETS = 2 ** 19;

/** One value of each class of numbers that is told apart: equal in every set, or in none of them. */
const rangedClasses = (sets: readonly RangeSet[], max: number): readonly number[] => {
  if (sets.length > MAX_SETS) throw new RangeError(`${sets.length} sets are more than ${MAX_SETS}`);
  const boundaries: number[] = [];
  for (const [id, set] of sets.entries()) {
    for (const { first, last } of set) {
      boundaries.push((first * MAX_SETS + id) * 2 + 1, ((last + 1) * MAX_SETS + id) * 2);
    }
  }
  const sorted = Float64Array.from(boundaries).sort();
  const values: number[] = [];
  const seen = new Set<string>();
  const open = new Map<number, number>();
  const note = (value: number): void => {
    // Two orders of the same sets make two classes of one, which is only more to compare.
    let signature = "";
    for (const id of open.keys()) signature += `${id} `;
    if (seen.has(signature)) return;
    seen.add(signature);
    values.push(value);
  };
  let at = 0;
  for (const boundary of sorted) {
    const about = Math.floor(boundary / 2);
    const position = Math.floor(about / MAX_SETS);
    if (position > at) note(at);
    at = position;
    const id = about % MAX_SETS;
    const depth = (open.get(id) ?? 0) + (boundary % 2 === 1 ? 1 : -1);
    if (depth === 0) open.delete(id);
    else open.set(id, depth);
  }
  if (at <= max) note(at);
  return values;
};

const MAX_ADDRESS = 2 ** 32 - 1;
const MAX_PORT = 65_535;

/** A value of each class of a field: whatever rules and meaning tell apart, and none of these. */
export type ClassesOf = <F extends Field>(
  field: F,
  told: readonly Distinctions[],
) => readonly Header[F][];

/**
 * Most of the many questions that an exploration asks are about the same sets, which rules and
 * meaning hand out again and again: what was found out about them is kept, under numbers that they
 * are given here. Finding it out every time took part of the check.
 */
export const rememberedClasses = (): ClassesOf => {
  const numbers = new Map<ReadonlySet<string> | RangeSet, number>();
  const found = new Map<string, readonly Header[Field][]>();
  const numberOf = (set: ReadonlySet<string> | RangeSet): number => {
    const known = numbers.get(set);
    if (known !== undefined) return known;
    numbers.set(set, numbers.size);
    return numbers.size - 1;
  };
  return <F extends Field>(field: F, told: readonly Distinctions[]) => {
    let key: string = field;
    for (const { names, ranges } of told) {
      for (const set of names) key += ` ${numberOf(set)}`;
      for (const set of ranges) key += ` ${numberOf(set)}`;
    }
    const known = found.get(key) ?? classesByField(field, told);
    found.set(key, known);
    return known as readonly Header[F][];
  };
};

const setsOf = (told: readonly Distinctions[]): readonly ReadonlySet<string>[] => [
  ...new Set(told.flatMap(({ names }) => names)),
];

const rangesOf = (told: readonly Distinctions[]): readonly RangeSet[] => [
  ...new Set(told.flatMap(({ ranges }) => ranges)),
];

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
