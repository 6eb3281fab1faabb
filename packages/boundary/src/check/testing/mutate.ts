import type { Chain, Effect, Match, Rule, Ruleset, Table } from "../../model/index.js";

export const MUTATIONS = ["drop", "swap", "widen", "verdict", "accept", "entry"] as const;
export type Mutation = (typeof MUTATIONS)[number];

const OPPOSITE: Partial<Record<Effect["kind"], Effect>> = {
  accept: { kind: "drop" },
  drop: { kind: "accept" },
  return: { kind: "drop" },
  masquerade: { kind: "accept" },
};

/** A rule that matches more: one match less, or the reverse of what it excludes. */
const widened = (rule: Rule, at: number): Rule => ({
  ...rule,
  matches: rule.matches.filter((_, index) => index !== at % rule.matches.length),
});

/** A look-up with one entry less, or with one that leads where another does. */
const withoutEntry = (effect: Effect, at: number): Effect => {
  if (effect.kind !== "dispatch" || effect.to.length < 2) return effect;
  const entry = at % effect.to.length;
  const next = effect.to[(entry + 1) % effect.to.length]?.chain ?? "";
  // The two kinds of keys have nothing to do with it.
  const to = effect.to as readonly { readonly is: never; readonly chain: string }[];
  return {
    ...effect,
    to: to.flatMap((each, index) => {
      if (index !== entry) return [each];
      return at % 2 === 0 ? [] : [{ ...each, chain: next }];
    }),
  };
};

const mutateRules = (
  rules: readonly Rule[],
  mutation: Mutation,
  at: number,
  within: number,
): readonly Rule[] => {
  const rule = rules[at];
  if (rule === undefined) return rules;
  const replaced = (by: readonly Rule[]) => rules.toSpliced(at, 1, ...by);
  switch (mutation) {
    case "drop":
      return replaced([]);
    case "swap": {
      const next = rules[at + 1];
      return next === undefined ? rules : rules.toSpliced(at, 2, next, rule);
    }
    case "widen":
      return rule.matches.length === 0 ? rules : replaced([widened(rule, within)]);
    case "verdict":
      return replaced([{ ...rule, effect: OPPOSITE[rule.effect.kind] ?? rule.effect }]);
    case "entry":
      return replaced([{ ...rule, effect: withoutEntry(rule.effect, within) }]);
    case "accept": {
      const matches: readonly Match[] = rule.matches.slice(0, within % 2);
      return replaced([{ identity: "foreign", matches, effect: { kind: "accept" } }, rule]);
    }
  }
};

/** A ruleset with one rule changed; `at` counts rules through both tables. Null beyond the last. */
export const mutate = (
  ruleset: Ruleset,
  mutation: Mutation,
  at: number,
  within: number,
): Ruleset | null => {
  let left = at;
  let done = false;
  const inTable = (table: Table): Table => ({
    ...table,
    chains: table.chains.map((chain): Chain => {
      const here = left;
      left -= chain.rules.length;
      if (done || here < 0 || here >= chain.rules.length) return chain;
      done = true;
      return { ...chain, rules: mutateRules(chain.rules, mutation, here, within) };
    }),
  });
  const mutated = { ...ruleset, inet: inTable(ruleset.inet), bridge: inTable(ruleset.bridge) };
  return done ? mutated : null;
};

export const countRules = ({ inet, bridge }: Ruleset): number =>
  [inet, bridge].reduce(
    (sum, { chains }) => sum + chains.reduce((inner, { rules }) => inner + rules.length, 0),
    0,
  );
