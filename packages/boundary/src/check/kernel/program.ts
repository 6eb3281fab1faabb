import { refuse } from "../../codes.js";
import type { Chain, Ruleset, Table } from "../../model/index.js";
import type { Header } from "./field.js";
import { asJumps, type Step } from "./step.js";
import { type Test, testOf, tryTest } from "./test.js";
import { isTracked, traversalOf, type Visit, type Way } from "./visit.js";

/** A rule as far as a packet's known fields leave it open. */
export interface Item {
  readonly tests: readonly Test[];
  readonly effect: Step["effect"];
  /** Of the chain that a jump leads to; empty otherwise. */
  readonly body: readonly Item[];
}

/** A base chain that a packet passes. */
export interface Segment {
  readonly visit: Visit;
  readonly tracked: boolean;
  readonly nat: boolean;
  readonly policy: "accept" | "drop";
  /** Whether what becomes of a packet here depends on what was done to it before. */
  readonly readsMark: boolean;
  readonly items: readonly Item[];
}

/** NFT_JUMP_STACK_SIZE: the kernel loads nothing that jumps deeper. */
const MAX_JUMPS = 16;

interface Base {
  readonly family: Table["family"];
  readonly base: NonNullable<Chain["base"]>;
  readonly readsMark: boolean;
  readonly itemsAt: (visit: Visit) => readonly Item[];
}

const readsMark = (items: readonly Item[]): boolean =>
  items.some(
    ({ tests, body }) => tests.some(({ match }) => match.kind === "mark") || readsMark(body),
  );

/** A match on an interface has one answer for all packets that take a way. */
const isAboutInterface = ({ match }: Test): boolean =>
  match.kind === "iifname" ||
  match.kind === "oifname" ||
  match.kind === "ibrname" ||
  match.kind === "obrname";

const ANY_HEADER = {} as Header;

/** The rules of a chain that a packet between these interfaces can meet. */
const itemsBetween = (items: readonly Item[], visit: Visit): readonly Item[] =>
  items.flatMap((item): readonly Item[] => {
    const [about, others] = [item.tests.filter(isAboutInterface), item.tests];
    if (about.some((each) => tryTest(each, visit, false, ANY_HEADER, 0) === false)) return [];
    const body = item.body.length === 0 ? item.body : itemsBetween(item.body, visit);
    if (item.effect.kind === "jump" && body.length === 0) return [];
    const tests = about.length === 0 ? others : others.filter((each) => !isAboutInterface(each));
    return [{ tests, effect: item.effect, body }];
  });

const interfaceTestsOf = (items: readonly Item[]): readonly Test[] => {
  const found = new Map<string, Test>();
  const walk = (some: readonly Item[]): void => {
    for (const { tests, body } of some) {
      for (const test of tests) {
        if (isAboutInterface(test)) found.set(JSON.stringify(test.match), test);
      }
      walk(body);
    }
  };
  walk(items);
  return [...found.values()];
};

/** Ways between interfaces that no rule of a chain tells apart meet the same rules there. */
const remembered = (items: readonly Item[]): Base["itemsAt"] => {
  const tests = interfaceTestsOf(items);
  const known = new Map<string, readonly Item[]>();
  return (visit) => {
    let key = "";
    for (const test of tests) key += tryTest(test, visit, false, ANY_HEADER, 0) ? "1" : "0";
    const found = known.get(key) ?? itemsBetween(items, visit);
    known.set(key, found);
    return found;
  };
};

/** A ruleset, ready to be asked which chains a packet passes. */
export type Program = (
  way: Way,
  etherType: Parameters<typeof traversalOf>[1],
) => readonly Segment[];

const itemsOf = (table: Table, chain: Chain, depth: number, done: Map<Chain, readonly Item[]>) => {
  const known = done.get(chain);
  if (known !== undefined) return known;
  const items = chain.rules.flatMap(asJumps).map((rule) => itemOf(table, rule, depth, done));
  done.set(chain, items);
  return items;
};

const itemOf = (
  table: Table,
  { matches, effect, identity }: Step,
  depth: number,
  done: Map<Chain, readonly Item[]>,
): Item => {
  const tests = matches.map(testOf);
  if (effect.kind !== "jump") return { tests, effect, body: [] };
  const target = table.chains.find(({ name, base }) => name === effect.chain && base === null);
  const where = `rule "${identity}" of table ${table.family} ${table.name} jumps to ${effect.chain}`;
  const fix = "Compile the ruleset again; the kernel wouldn't load this one.";
  if (target === undefined) {
    return refuse("RULESET_INVALID", `${where}, which isn't there`, { fix });
  }
  if (depth >= MAX_JUMPS) {
    return refuse("RULESET_INVALID", `${where}, deeper than ${MAX_JUMPS} chains`, { fix });
  }
  return { tests, effect, body: itemsOf(table, target, depth + 1, done) };
};

/**
 * @throws DrydockError RULESET_INVALID where a jump leads nowhere, or round and round
 */
export const programOf = ({ inet, bridge, realisation }: Ruleset): Program => {
  const bases: readonly Base[] = [inet, bridge].flatMap((table) => {
    const done = new Map<Chain, readonly Item[]>();
    return table.chains.flatMap((chain) => {
      if (chain.base === null) return [];
      const items = itemsOf(table, chain, 0, done);
      const { family } = table;
      return [
        { family, base: chain.base, readsMark: readsMark(items), itemsAt: remembered(items) },
      ];
    });
  });
  const ordered = [...bases].sort((one, other) => one.base.priority - other.base.priority);
  return (way, etherType) => {
    const segments: Segment[] = [];
    for (const visit of traversalOf(way, etherType, realisation)) {
      for (const { family, base, readsMark: reads, itemsAt } of ordered) {
        if (family !== visit.family || base.hook !== visit.hook) continue;
        if (base.priority < visit.from || base.priority >= visit.below) continue;
        segments.push({
          visit,
          tracked: isTracked(visit, base.priority),
          nat: base.type === "nat",
          policy: base.policy,
          readsMark: reads,
          items: itemsAt(visit),
        });
      }
    }
    return segments;
  };
};
