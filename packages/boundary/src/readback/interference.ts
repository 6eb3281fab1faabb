import type { Chain, Ruleset, Table } from "../model/index.js";
import type { ListedBase, ListedChain, ListedRule, ListedTable } from "../ruleset/index.js";
import { type Difference, type DifferenceKind, difference } from "./difference.js";
import { isBefore, isBehindOnOutput, isOnSameHookBefore, type Place } from "./place.js";
import { type Reach, reachesOf } from "./statement.js";

/**
 * Rules of other tables that take away what ours mean. An `accept` of another table doesn't end
 * ours (a verdict ends its own base chain alone), and still nothing has a reason to stand before a
 * boundary and accept. What does matter in the kernel is a rule that sets the mark by which ours
 * know a checked frame; one that rewrites a destination after the judgement; one that takes packets
 * around the hooks, or connection state away. Other tables may count, log, deny, translate sources,
 * and translate destinations before the hooks that judge, as Docker's own do.
 */
export const interference = (
  expected: readonly Ruleset[],
  others: readonly ListedTable[],
): readonly Difference[] => {
  const ours = placesOf(expected);
  const trusted = trustedBits(expected);
  return others.flatMap((table) => [
    ...flowtables(table),
    ...table.chains.flatMap((chain) =>
      chain.base === null ? [] : interferenceOf(ours, trusted, table, chain, chain.base),
    ),
  ]);
};

const interferenceOf = (
  ours: readonly Place[],
  trusted: number,
  table: ListedTable,
  chain: ListedChain,
  base: ListedBase,
): readonly Difference[] => {
  const place: Place = { family: table.family, ...base };
  const isFatal = (reach: Reach): DifferenceKind | null => {
    switch (reach.kind) {
      case "harmless":
      case "to":
        return null;
      case "accept":
        return ours.some((mine) => isOnSameHookBefore(place, mine)) ? "foreign-accept" : null;
      case "mark":
        // A chain of type route routes again when the mark changed, behind the judgement.
        if (base.type === "route") return "foreign-rewrite";
        return (reach.bits & trusted) !== 0 && ours.some((mine) => isBefore(place, mine))
          ? "foreign-mark"
          : null;
      case "destination":
        return ours.some((mine) => isBehindOnOutput(place, mine)) ? "foreign-rewrite" : null;
      case "bypass":
        return "foreign-bypass";
      case "unreadable":
        return "foreign-unreadable";
    }
  };
  return reachable(table, chain).flatMap(({ chain: at, rule }) => {
    const kinds = new Set(reachesOf(rule).map(isFatal));
    return [...kinds].flatMap((kind) =>
      kind === null
        ? []
        : [
            difference(
              kind,
              { table: `${table.family} ${table.name}`, chain: at, rule: rule.comment },
              null,
              `${printPlace(place)}: ${JSON.stringify(rule.rule ?? rule.statements)}`,
            ),
          ],
    );
  });
};

interface Reached {
  readonly chain: string;
  readonly rule: ListedRule;
}

/** Every rule that a packet in this base chain can come to; all of the table's, if nft won't say. */
const reachable = (table: ListedTable, from: ListedChain): readonly Reached[] => {
  const byName = new Map(table.chains.map((chain) => [chain.name, chain]));
  const reached = new Map([[from.name, from]]);
  for (const chain of reached.values()) {
    for (const reach of chain.rules.flatMap(reachesOf)) {
      if (reach.kind !== "to") continue;
      const target = reach.chain === null ? undefined : byName.get(reach.chain);
      const targets = target === undefined ? table.chains : [target];
      for (const next of targets) reached.set(next.name, next);
    }
  }
  return [...reached.values()].flatMap(({ name, rules }) =>
    rules.map((rule) => ({ chain: name, rule })),
  );
};

/** With devices, packets of its flows never come to a forward hook again. */
const flowtables = (table: ListedTable): readonly Difference[] =>
  table.objects
    .filter(({ kind }) => kind === "flowtable")
    .map(({ kind, name }) =>
      difference(
        "foreign-bypass",
        { table: `${table.family} ${table.name}` },
        null,
        `${kind} ${name}`,
      ),
    );

const tablesOf = (expected: readonly Ruleset[]): readonly Table[] =>
  expected.flatMap(({ inet, bridge }) => [inet, bridge]);

const placesOf = (expected: readonly Ruleset[]): readonly Place[] =>
  tablesOf(expected).flatMap(({ family, chains }) =>
    chains.flatMap(({ base }: Chain) => (base === null ? [] : [{ family, ...base }])),
  );

const trustedBits = (expected: readonly Ruleset[]): number => {
  let bits = 0;
  for (const { matches, effect } of tablesOf(expected).flatMap(({ chains }) =>
    chains.flatMap(({ rules }) => rules),
  )) {
    for (const match of matches) if (match.kind === "mark") bits |= match.mask;
    if (effect.kind === "set-mark") bits |= effect.bits;
  }
  return bits >>> 0;
};

const printPlace = ({ family, hook, priority }: Place): string =>
  `${family} ${hook ?? "unknown hook"} ${priority ?? "unknown priority"}`;
