import type { Chain, Family, Rule, Table } from "../model/index.js";
import {
  type ListedBase,
  type ListedChain,
  type ListedRule,
  type ListedTable,
  printRule,
} from "../ruleset/index.js";
import { type Difference, type DifferenceKind, difference } from "./difference.js";

/** Every chain of a table, in whichever order nft lists them. */
export const compareChains = (
  table: string,
  expected: Table,
  found: ListedTable,
): readonly Difference[] => {
  const listed = new Map(found.chains.map((chain) => [chain.name, chain]));
  const wanted = new Set(expected.chains.map(({ name }) => name));
  return [
    ...expected.chains.flatMap((chain) => {
      const match = listed.get(chain.name);
      return match === undefined
        ? [difference("chain-missing", { table, chain: chain.name }, printBase(chain.base), null)]
        : compareChain(table, expected.family, chain, match);
    }),
    ...found.chains
      .filter(({ name }) => !wanted.has(name))
      .map((chain) =>
        difference("chain-extra", { table, chain: chain.name }, null, printBase(chain.base)),
      ),
  ];
};

const compareChain = (
  table: string,
  family: Family,
  expected: Chain,
  found: ListedChain,
): readonly Difference[] => {
  const place = { table, chain: expected.name };
  const [wantedBase, foundBase] = [printBase(expected.base), printBase(found.base)];
  return [
    ...(wantedBase === foundBase ? [] : [difference("chain-base", place, wantedBase, foundBase)]),
    ...found.extras.map((extra) => difference("chain-base", place, null, extra)),
    ...compareRules(place, family, expected.rules, found.rules),
  ];
};

const printBase = (base: ListedBase | null): string =>
  base === null
    ? "reached by jumps alone"
    : [
        `type ${base.type ?? "unknown"}`,
        `hook ${base.hook ?? "unknown"}`,
        `priority ${base.priority ?? "unknown"}`,
        `policy ${base.policy ?? "unknown"}`,
      ].join(" ");

interface Place {
  readonly table: string;
  readonly chain: string;
}

/** By identity, then body, then order, so that a difference is named after what was done. */
const compareRules = (
  place: Place,
  family: Family,
  expected: readonly Rule[],
  found: readonly ListedRule[],
): readonly Difference[] => {
  const wanted = new Map(expected.map((rule) => [rule.identity, rule]));
  const seen: string[] = [];
  const differences: Difference[] = [];
  const pending: ListedRule[] = [];
  const report = (
    kind: DifferenceKind,
    rule: string | null,
    was: string | null,
    is: string | null,
  ) => void differences.push(difference(kind, { ...place, rule }, was, is));
  const reportExtra = (kind: "rule-extra" | "rule-shadowing") => (extra: ListedRule) =>
    report(kind, extra.comment, null, printListed(family, extra));

  for (const rule of found) {
    const identity = rule.comment;
    const match = identity === null ? undefined : wanted.get(identity);
    if (identity === null || match === undefined) {
      pending.push(rule);
      continue;
    }
    // A second rule under the same identity is a stranger.
    wanted.delete(identity);
    pending.splice(0).forEach(reportExtra("rule-shadowing"));
    seen.push(identity);
    if (rule.rule === null || !isSame(rule.rule, match)) {
      report("rule-changed", identity, printRule(family, match), printListed(family, rule));
    }
  }
  pending.forEach(reportExtra("rule-extra"));
  for (const [identity, rule] of wanted) {
    report("rule-missing", identity, printRule(family, rule), null);
  }
  const order = expected.filter(({ identity }) => !wanted.has(identity));
  const moved = order.findIndex(({ identity }, index) => seen[index] !== identity);
  if (moved >= 0) report("rule-moved", seen[moved] ?? null, order[moved]?.identity ?? null, null);
  return differences;
};

/** Both in normal form, so that equal meaning is equal structure. */
const isSame = (one: unknown, other: unknown): boolean => {
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) {
    return one === other;
  }
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return false;
  for (const key of keys) {
    if (!Object.hasOwn(other, key)) return false;
    if (!isSame(Reflect.get(one, key), Reflect.get(other, key))) return false;
  }
  return true;
};

const printListed = (family: Family, { rule, foreign, statements }: ListedRule): string =>
  rule === null ? `${foreign}: ${JSON.stringify(statements)}` : printRule(family, rule);
