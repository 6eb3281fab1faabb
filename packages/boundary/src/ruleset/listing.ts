import type { JsonObject } from "@drydock/evidence";
import type { Family, Hook, Rule, Table } from "../model/index.js";
import { ABOUT_CHAIN } from "./about.js";

/** What `nft -j list ruleset` said, understood as far as the model goes. */
export interface Listing {
  /** Of nft; null where it doesn't say. */
  readonly version: string | null;
  /** In nft's order. */
  readonly tables: readonly ListedTable[];
}

export interface ListedTable {
  /** Any of nft's six. */
  readonly family: string;
  readonly name: string;
  /** What nft says beyond a name: `flags="dormant"` would mean that its rules don't hold. */
  readonly extras: readonly string[];
  /** What its chain `about` says; null without one, which no table of this project's is. */
  readonly comment: string | null;
  /** In nft's order, without `about`. */
  readonly chains: readonly ListedChain[];
  /** Sets, maps, flowtables, named counters and whatever else isn't a chain: none is ever ours. */
  readonly objects: readonly ListedObject[];
}

export interface ListedObject {
  /** nft's word for it, such as `set` or `flowtable`. */
  readonly kind: string;
  readonly name: string;
}

export interface ListedChain {
  readonly name: string;
  readonly extras: readonly string[];
  /** null: reached by jumps alone. */
  readonly base: ListedBase | null;
  readonly rules: readonly ListedRule[];
}

/** Each null where nft didn't say; nft 0.9.9 leaves some of it out. Then it is unknown, not equal. */
export interface ListedBase {
  readonly type: string | null;
  readonly hook: string | null;
  readonly priority: number | null;
  readonly policy: string | null;
}

export interface ListedRule {
  readonly comment: string | null;
  /** In normal form; null when the rule says anything that the model doesn't. */
  readonly rule: Rule | null;
  /** Why `rule` is null. */
  readonly foreign: string | null;
  /** As nft gave them, when `rule` is null. */
  readonly statements: readonly JsonObject[];
}

/** The table as the model knows it; null if anything at all in it is foreign or unknown. */
export const tableOf = (listed: ListedTable): Table | null => {
  const { family, name, comment } = listed;
  if (!isFamily(family) || comment === null) return null;
  if (listed.objects.length > 0 || listed.extras.length > 0) return null;
  const chains: Table["chains"][number][] = [];
  for (const chain of listed.chains) {
    if (chain.extras.length > 0) return null;
    const base = chain.base === null ? null : baseOf(chain.base);
    if (base === undefined) return null;
    const rules: Rule[] = [];
    for (const { rule } of chain.rules) {
      if (rule === null) return null;
      rules.push(rule);
    }
    chains.push({ name: chain.name, base, rules });
  }
  chains.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { family, name, comment, chains };
};

export const isFamily = (family: string): family is Family =>
  family === "inet" || family === "bridge";

const baseOf = ({
  type,
  hook,
  priority,
  policy,
}: ListedBase): Table["chains"][number]["base"] | undefined =>
  isType(type) && isHook(hook) && priority !== null && isPolicy(policy)
    ? { type, hook, priority, policy }
    : undefined;

const isType = (type: string | null): type is "filter" | "nat" =>
  type === "filter" || type === "nat";

const isPolicy = (policy: string | null): policy is "accept" | "drop" =>
  policy === "accept" || policy === "drop";

const HOOKS: readonly string[] = ["prerouting", "input", "forward", "output", "postrouting"];

const isHook = (hook: string | null): hook is Hook => hook !== null && HOOKS.includes(hook);

/** The comment that `about` carries in parts; null unless it is exactly what the printer writes. */
export const commentOf = ({ name, base, rules }: ListedChain): string | null => {
  if (name !== ABOUT_CHAIN || base !== null || rules.length === 0) return null;
  const parts: string[] = [];
  for (const { rule } of rules) {
    if (rule === null || rule.effect.kind !== "return" || rule.matches.length > 0) return null;
    parts.push(rule.identity);
  }
  return parts.join(",");
};
