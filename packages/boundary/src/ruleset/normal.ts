import { canonicalise, quote } from "@drydock/evidence";
import type { Chain, Effect, Family, Match, Rule, Table } from "../model/index.js";
import { ABOUT_CHAIN } from "./about.js";
import { withoutImplied } from "./implied.js";
import { identifier, isComment } from "./names.js";
import { normalDispatch } from "./normal-dispatch.js";
import { normalMatch } from "./normal-match.js";
import { refuse } from "./refuse.js";

/** Far more than a plan of 5,000 rules lowers to; nft's own time grows faster beyond. */
const MAX_RULES = 100_000;

/**
 * The one spelling of everything that means the same to the kernel: chains by name, rules in their
 * order, the matches of a rule in a fixed order and without what nft implies.
 *
 * @throws DrydockError RULESET_INVALID for what couldn't be written or recognised again
 */
export const normalTable = (table: Table): Table => {
  if (NORMAL.has(table.chains)) return table;
  const chains = table.chains.map((chain) => normalChain(table.family, chain));
  chains.sort((a, b) => (a.name < b.name ? -1 : 1));
  checkNames(chains);
  NORMAL.add(chains);
  return { family: table.family, name: identifier(table.name), comment: table.comment, chains };
};

/** Chains that were made here: nobody writes into them, and 5,000 rules take a while. */
const NORMAL = new WeakSet<readonly Chain[]>();

const normalChain = (family: Family, chain: Chain): Chain => {
  const { name, base, rules } = chain;
  if (name === ABOUT_CHAIN) return refuse(`chain ${ABOUT_CHAIN} is the table's own`);
  return {
    name: identifier(name),
    base: base === null ? null : normalBase(base),
    rules: rules.map((rule) => normalRule(family, rule)),
  };
};

const normalBase = (base: NonNullable<Chain["base"]>): NonNullable<Chain["base"]> => {
  const { type, hook, priority, policy } = base;
  // nft_chain priorities are signed 32-bit numbers.
  if (priority !== (priority | 0)) return refuse(`${priority} is no priority`);
  return { type, hook, priority, policy };
};

/** @throws DrydockError RULESET_INVALID */
export const normalRule = (family: Family, rule: Rule): Rule => {
  if (!isComment(rule.identity)) {
    return refuse(
      `${quote(rule.identity)} is no identity of a rule: 1 to 128 printable characters`,
    );
  }
  const matches = withoutImplied(family, rule.matches.map(normalMatch), rule.effect);
  return {
    identity: rule.identity,
    matches: matches.length < 2 ? matches : inFixedOrder(matches),
    effect: normalEffect(rule.effect),
  };
};

/**
 * Cheap and selective first, since the kernel evaluates them in this order: a bit before a name,
 * which is sixteen bytes, and hashed where there are several.
 */
const ORDER: readonly Match["kind"][] = [
  ...(["mark", "iifname", "oifname", "ibrname", "obrname", "ether-source", "ether-type"] as const),
  ...(["arp-sender-ether", "arp-sender-ip", "nfproto", "ip-source", "ip-destination"] as const),
  ...(["l4proto", "destination-port", "ct-state"] as const),
];
const RANK: ReadonlyMap<Match["kind"], number> = new Map(ORDER.map((kind, rank) => [kind, rank]));

const inFixedOrder = (matches: readonly Match[]): readonly Match[] => {
  const isAscending = matches.every((match, index) => {
    const before = matches[index - 1];
    return before === undefined || rank(before) < rank(match);
  });
  if (isAscending) return matches;
  const byText = new Map(matches.map((match) => [canonicalise(match), match] as const));
  return [...byText]
    .sort(([a, x], [b, y]) => rank(x) - rank(y) || (a < b ? -1 : 1))
    .map(([, match]) => match);
};

const rank = (match: Match): number => RANK.get(match.kind) ?? ORDER.length;

const normalEffect = (effect: Effect): Effect => {
  switch (effect.kind) {
    case "jump":
      return { kind: "jump", chain: identifier(effect.chain) };
    case "dispatch":
      return normalDispatch(effect);
    case "set-mark":
      return effect.bits === effect.bits >>> 0 && effect.bits !== 0
        ? { kind: "set-mark", bits: effect.bits }
        : refuse(`${effect.bits} are no bits of a mark`);
    case "accept":
    case "drop":
    case "return":
    case "masquerade":
      return { kind: effect.kind };
  }
};

const chainsAfter = (effect: Effect): readonly string[] => {
  if (effect.kind === "jump") return [effect.chain];
  return effect.kind === "dispatch" ? effect.to.map(({ chain }) => chain) : [];
};

const checkNames = (chains: readonly Chain[]): void => {
  const targets = new Set<string>();
  const names = new Set<string>();
  for (const { name, base } of chains) {
    if (names.has(name)) refuse(`chain ${quote(name)} occurs twice`);
    names.add(name);
    if (base === null) targets.add(name);
  }
  const identities = new Set<string>();
  for (const { identity, effect } of chains.flatMap(({ rules }) => rules)) {
    if (identities.has(identity)) refuse(`rule identity ${quote(identity)} occurs twice`);
    identities.add(identity);
    for (const chain of chainsAfter(effect)) {
      if (targets.has(chain)) continue;
      refuse(`rule ${quote(identity)} jumps to ${quote(chain)}, which is no chain for jumps`);
    }
  }
  if (identities.size > MAX_RULES) refuse(`more than ${MAX_RULES} rules in one table`);
};
