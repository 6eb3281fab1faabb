import { type Chain, formatCidr, printRule, type Table } from "@drydock/boundary";
import { visible } from "../../terminal/sanitise.js";
import type { Authored, Compiled } from "./compiled.js";

/** Every rule with the authored lines that it is from, as nft writes tables. */
export const printListing = (compiled: Compiled): string =>
  [...headline(compiled), ...compiled.rulesets.map(printAuthored)].join("\n");

/** The same as an object. */
export const listingJson = ({ topology, rulesets }: Compiled) => ({
  topology,
  rulesets: rulesets.map(({ ruleset, lines, file }) => ({
    authority: ruleset.authority,
    realisation: ruleset.realisation,
    digest: ruleset.digest,
    file,
    tables: [ruleset.inet, ruleset.bridge].map(({ family, name, chains }) => ({
      family,
      name,
      chains: chains.map((chain) => ({
        name: chain.name,
        base: chain.base,
        rules: chain.rules.map((rule) => ({
          identity: rule.identity,
          nft: printRule(family, rule),
          lines: lines.get(rule.identity) ?? [],
        })),
      })),
    })),
  })),
});

const headline = ({ topology, scenario, platform }: Compiled): readonly string[] => {
  const networks = [...(scenario?.networks ?? []), ...Object.values(platform?.networks ?? {})];
  return [
    topology === "planned"
      ? "# for what apply would make: bridges, addresses and MACs as planned, ports are placeholders"
      : "# for what was observed",
    ...networks.map(
      ({ bridge, address, cidr }) => `# ${bridge} is ${visible(address)}, ${formatCidr(cidr)}`,
    ),
    "",
  ];
};

const printAuthored = (authored: Authored): string => {
  const { authority, realisation, digest, inet, bridge } = authored.ruleset;
  return [
    `# ${authority}, ${realisation}, ${digest}`,
    printTable(authored, inet),
    printTable(authored, bridge),
  ].join("\n");
};

const printTable = (authored: Authored, table: Table): string =>
  [
    `table ${table.family} ${table.name} {`,
    ...table.chains.flatMap((chain) => printChain(authored, table, chain)),
    "}\n",
  ].join("\n");

const printChain = (
  { lines, file }: Authored,
  { family }: Table,
  { name, base, rules }: Chain,
): readonly string[] => [
  `\tchain ${name} {`,
  ...(base === null
    ? []
    : [
        `\t\ttype ${base.type} hook ${base.hook} priority ${base.priority}; policy ${base.policy};`,
      ]),
  ...rules.map((rule) => {
    const places = (lines.get(rule.identity) ?? []).map((line) => `${visible(file)}:${line}`);
    const authored = places.length === 0 ? "" : `  # ${places.join(", ")}`;
    return `\t\t${printRule(family, rule)}${authored}`;
  }),
  "\t}",
];
