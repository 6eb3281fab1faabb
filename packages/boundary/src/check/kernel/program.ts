import { refuse } from "../../codes.js";
import type { Chain, Effect, Rule, Ruleset, Table } from "../../model/index.js";
import { type Test, testOf } from "./test.js";
import { isTracked, traversalOf, type Visit, type Way } from "./visit.js";

/** A rule as far as a packet's known fields leave it open. */
export interface Item {
  readonly tests: readonly Test[];
  readonly effect: Effect;
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
  readonly items: readonly Item[];
}

const readsMark = (items: readonly Item[]): boolean =>
  items.some(
    ({ tests, body }) => tests.some(({ match }) => match.kind === "mark") || readsMark(body),
  );

/** A ruleset, ready to be asked which chains a packet passes. */
export type Program = (
  way: Way,
  etherType: Parameters<typeof traversalOf>[1],
) => readonly Segment[];

const itemsOf = (table: Table, chain: Chain, depth: number, done: Map<Chain, readonly Item[]>) => {
  const known = done.get(chain);
  if (known !== undefined) return known;
  const items = chain.rules.map((rule) => itemOf(table, rule, depth, done));
  done.set(chain, items);
  return items;
};

const itemOf = (
  table: Table,
  { matches, effect, identity }: Rule,
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
      return [{ family: table.family, base: chain.base, readsMark: readsMark(items), items }];
    });
  });
  const ordered = [...bases].sort((one, other) => one.base.priority - other.base.priority);
  return (way, etherType) =>
    traversalOf(way, etherType, realisation).flatMap((visit) =>
      ordered
        .filter(
          ({ family, base }) =>
            family === visit.family &&
            base.hook === visit.hook &&
            base.priority >= visit.from &&
            base.priority < visit.below,
        )
        .map(({ base, readsMark, items }) => ({
          visit,
          tracked: isTracked(visit, base.priority),
          nat: base.type === "nat",
          policy: base.policy,
          readsMark,
          items,
        })),
    );
};
