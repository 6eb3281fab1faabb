import type { ListedTable, Listing } from "./listing.js";

/** `nft --debug=netlink` puts a rule's place before its expressions: family, table, chain, handles. */
const RULE = /^(\S+) (\S+) (\S+) \d+(?: \d+)?$/;
const EXPRESSION = /^ {2}\[ (.*) \]$/;
const INNER = /^meta load protocol\b/;
/** Neighbouring fields are one load: `ether saddr` and `ether type` are 8 bytes from the sixth. */
const LINK_HEADER = /^payload load (\d+)b @ link header \+ (\d+)\b/;
const TYPE_AT = 12;
const TYPE_BYTES = 2;
const NETWORK_HEADER = /@ network header\b/;

/**
 * Guard: a listing in which a chain of the bridge family says so where one of its rules looks into
 * frames by their inner protocol, or without asking for one. nft leaves out what a match implies, and
 * so lists `meta protocol ip` and `ether type ip` before `ip saddr` alike; but a frame with a VLAN tag
 * is the first and not the second, and would be taken for its port's own.
 *
 * @param expressions what `nft --debug=netlink list ruleset` says of all of it.
 */
export const withInnerProtocols = (listing: Listing, expressions: string): Listing => {
  const seen = new Map<string, boolean>();
  for (const { table, chain, said } of rulesIn(expressions)) {
    const place = `${table} ${chain}`;
    seen.set(place, (seen.get(place) ?? false) || looksInside(said));
  }
  const marked = (table: ListedTable): ListedTable => ({
    ...table,
    chains: table.chains.map((chain) => {
      const looks = seen.get(`${table.name} ${chain.name}`);
      // What nobody told of is unknown, and unknown isn't equal.
      if (looks === false || (looks === undefined && chain.rules.length === 0)) return chain;
      return { ...chain, extras: [...chain.extras, looks === true ? "protocol=inner" : "unread"] };
    }),
  });
  return { ...listing, tables: listing.tables.map((one) => (isOurs(one) ? marked(one) : one)) };
};

/** Bridge tables that say whose they are. */
const isOurs = ({ family, name, comment }: ListedTable): boolean =>
  family === "bridge" && comment !== null && /^drydock_[0-9a-f]{12}$/.test(name);

interface Said {
  readonly table: string;
  readonly chain: string;
  readonly said: string[];
}

const rulesIn = (expressions: string): readonly Said[] => {
  const rules: Said[] = [];
  for (const line of expressions.split("\n")) {
    const [, family, table, chain] = RULE.exec(line) ?? [];
    if (table !== undefined && chain !== undefined) {
      // Another family's are told of too, and are nobody's here.
      rules.push({ table: family === "bridge" ? table : "", chain, said: [] });
    }
    const [, expression] = EXPRESSION.exec(line) ?? [];
    if (expression !== undefined) rules.at(-1)?.said.push(expression);
  }
  return rules;
};

const looksInside = (said: readonly string[]): boolean =>
  said.some((one) => INNER.test(one)) ||
  (said.some((one) => NETWORK_HEADER.test(one)) && !said.some(asksForType));

const asksForType = (expression: string): boolean => {
  const [, bytes, at] = LINK_HEADER.exec(expression) ?? [];
  return (
    at !== undefined && Number(at) <= TYPE_AT && Number(at) + Number(bytes) >= TYPE_AT + TYPE_BYTES
  );
};
