import type { Chain, Effect, Hook, Match, Rule } from "../model/index.js";
import { type Context, priorityOf } from "./context.js";

/** A rule, or none where it could never do anything: nft has no empty sets, and no empty maps. */
export const rule = (
  identity: string,
  matches: readonly Match[],
  effect: Effect,
): readonly Rule[] => {
  if (matches.some((match) => isEmptySet(match) && !isNegated(match))) return [];
  if (effect.kind === "dispatch" && effect.to.length === 0) return [];
  return [{ identity, matches: matches.filter((match) => !isEmptySet(match)), effect }];
};

const isEmptySet = (match: Match): boolean =>
  "is" in match && typeof match.is !== "string" && match.is.length === 0;

const isNegated = (match: Match): boolean => "not" in match && match.not;

export const ACCEPT: Effect = { kind: "accept" };
export const DROP: Effect = { kind: "drop" };
export const RETURN: Effect = { kind: "return" };

export const jump = (chain: string): Effect => ({ kind: "jump", chain });

/**
 * Policy accept: denial is a rule with an identity, and whatever isn't this authority's stays as
 * it is. An accept ends this chain alone, so every other table still has its say.
 */
export const baseChain = (
  context: Context,
  hook: Hook,
  rules: readonly (readonly Rule[])[],
): Chain => ({
  name: hook,
  base: { type: "filter", hook, priority: priorityOf(context, hook), policy: "accept" },
  rules: rules.flat(),
});

export const regularChain = (name: string, rules: readonly (readonly Rule[])[]): Chain => ({
  name,
  base: null,
  rules: rules.flat(),
});
