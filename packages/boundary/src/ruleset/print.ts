import {
  type Chain,
  type Cidr,
  type Dispatch,
  type Effect,
  type Family,
  formatCidr,
  formatIpv4,
  type Match,
  type PortRange,
  type Rule,
  type Ruleset,
  type Table,
} from "../model/index.js";
import { ABOUT_CHAIN } from "./about.js";
import { etherTypeOf, needs } from "./implied.js";
import { identifier, quoteComment, quoteName } from "./names.js";
import { normalTable } from "./normal.js";

/**
 * One transaction for `nft -f -` that puts both tables in the place of whatever has their names.
 * The kernel takes all of it or nothing (one netlink batch), so there is no moment without rules.
 *
 * With `replacing`, only a table of these families is replaced, and the others must not be there:
 * the kernel then refuses what was made since somebody looked.
 *
 * @throws DrydockError RULESET_INVALID
 */
export const printTables = (
  { inet, bridge }: Pick<Ruleset, "inet" | "bridge">,
  replacing?: readonly Family[],
): string => [inet, bridge].map((table) => printReplacement(table, replacing)).join("");

/** Deletion of tables by family and name, as one transaction. Each must exist. */
export const printDeletion = (tables: readonly Pick<Table, "family" | "name">[]): string =>
  tables.map(({ family, name }) => `delete table ${family} ${identifier(name)}\n`).join("");

/** What both tables say about themselves, in the place of what they said. Their rules stay. */
export const printAbouts = ({ inet, bridge }: Pick<Ruleset, "inet" | "bridge">): string =>
  [inet, bridge]
    .flatMap(({ family, name, comment }) => [
      `flush chain ${family} ${identifier(name)} ${ABOUT_CHAIN}`,
      ...aboutRules(comment).map((rule) => `add rule ${family} ${name} ${ABOUT_CHAIN} ${rule}`),
      "",
    ])
    .join("\n");

const printReplacement = (table: Table, replacing?: readonly Family[]): string => {
  const { family, name, comment, chains } = normalTable(table);
  return [
    ...(replacing === undefined
      ? // `add` first, so that `delete` has something to delete the first time.
        [`add table ${family} ${name}`, `delete table ${family} ${name}`]
      : [`${replacing.includes(family) ? "delete" : "create"} table ${family} ${name}`]),
    `table ${family} ${name} {`,
    ...printAbout(comment),
    ...chains.flatMap((chain) => printChain(family, chain)),
    "}\n",
  ].join("\n");
};

const printAbout = (comment: string): readonly string[] => [
  `\tchain ${ABOUT_CHAIN} {`,
  ...aboutRules(comment).map((rule) => `\t\t${rule}`),
  "\t}",
];

const aboutRules = (comment: string): readonly string[] =>
  comment.split(",").map((part) => `return comment ${quoteComment(part)}`);

const printChain = (family: Family, { name, base, rules }: Chain): readonly string[] => [
  `\tchain ${name} {`,
  ...(base === null
    ? []
    : [
        `\t\ttype ${base.type} hook ${base.hook} priority ${base.priority}; policy ${base.policy};`,
      ]),
  ...rules.map((rule) => `\t\t${printRule(family, rule)}`),
  "\t}",
];

/** One rule of a normal table, as nft reads it. */
export const printRule = (family: Family, { identity, matches, effect }: Rule): string =>
  [
    ...printMatches(family, matches, effect),
    printEffect(effect),
    `comment ${quoteComment(identity)}`,
  ].join(" ");

/**
 * What a match needs of the packet is always written out, before the first that needs it. Left to
 * nft, the bridge family would be told `meta protocol`, which is the inner protocol of a frame with
 * a VLAN tag; `ether type` is what the model says, and a tagged frame has another.
 */
const printMatches = (
  family: Family,
  matches: readonly Match[],
  effect: Effect,
): readonly string[] => {
  const { etherType } = needs(matches, effect);
  if (etherType === null) return matches.map(printMatch);
  const first = matches.findIndex((match) => etherTypeOf(match) !== null);
  const at = first < 0 ? matches.length : first;
  const needed = family === "bridge" ? `ether type ${etherType}` : "meta nfproto ipv4";
  const printed = matches.map(printMatch);
  return [...printed.slice(0, at), needed, ...printed.slice(at)];
};

const printMatch = (match: Match): string => {
  switch (match.kind) {
    case "iifname":
    case "oifname":
      return `${match.kind}${set(match.is.map(quoteName), match.not)}`;
    case "ibrname":
    case "obrname":
      return `meta ${match.kind}${set(match.is.map(quoteName), match.not)}`;
    case "ether-source":
      return `ether saddr${set(match.is, match.not)}`;
    case "ether-type":
      return `ether type${set(match.is, match.not)}`;
    case "arp-sender-ip":
      return `arp saddr ip${set(match.is.map(block), match.not)}`;
    case "arp-sender-ether":
      return `arp saddr ether${set(match.is, match.not)}`;
    case "nfproto":
      return `meta nfproto ${match.is}`;
    case "ip-source":
      return `ip saddr${set(match.is.map(block), match.not)}`;
    case "ip-destination":
      return `ip daddr${set(match.is.map(block), match.not)}`;
    case "l4proto":
      return `meta l4proto${set(match.is, match.not)}`;
    case "destination-port":
      return `${match.protocol} dport${set(match.is.map(ports), false)}`;
    case "ct-state":
      return `ct state${set(match.is, match.not)}`;
    case "mark":
      return `meta mark & ${bits(match.mask)} ${match.not ? "!=" : "=="} ${bits(match.value)}`;
  }
};

const printEffect = (effect: Effect): string => {
  switch (effect.kind) {
    case "accept":
    case "drop":
    case "return":
    case "masquerade":
      return effect.kind;
    case "jump":
      return `jump ${effect.chain}`;
    case "dispatch":
      return printDispatch(effect);
    case "set-mark":
      return `meta mark set meta mark | ${bits(effect.bits)}`;
  }
};

const printDispatch = (dispatch: Dispatch): string => {
  const entries = (key: string, to: readonly { readonly is: string; readonly chain: string }[]) =>
    `${key} vmap { ${to.map(({ is, chain }) => `${is} : jump ${chain}`).join(", ")} }`;
  switch (dispatch.by) {
    case "iifname":
    case "oifname":
      return entries(
        dispatch.by,
        dispatch.to.map(({ is, chain }) => ({ is: quoteName(is), chain })),
      );
    case "ip-source":
    case "ip-destination":
      return entries(
        dispatch.by === "ip-source" ? "ip saddr" : "ip daddr",
        dispatch.to.map(({ is, chain }) => ({ is: formatIpv4(is), chain })),
      );
  }
};

const set = (elements: readonly string[], not: boolean): string =>
  `${not ? " != " : " "}${elements.length === 1 ? elements[0] : `{ ${elements.join(", ")} }`}`;

const block = (cidr: Cidr): string =>
  cidr.prefix === 32 ? formatIpv4(cidr.base) : formatCidr(cidr);

const ports = ({ first, last }: PortRange): string =>
  first === last ? String(first) : `${first}-${last}`;

const bits = (value: number): string => `0x${value.toString(16).padStart(8, "0")}`;
