import type { Ruleset, Table } from "../model/index.js";
import { type ListedTable, type Listing, normalTable, parseAbout } from "../ruleset/index.js";
import { compareChains } from "./chain.js";
import { type Difference, difference, MAX_DIFFERENCES } from "./difference.js";
import { interference } from "./interference.js";

/**
 * Whether the kernel holds exactly these rulesets, and nothing beside them that takes their meaning
 * away. Bodies are compared in normal form, so that nft's spelling doesn't matter, and in order.
 *
 * @returns [] when they are equal
 * @throws DrydockError RULESET_INVALID for an expected ruleset that has no normal form
 */
export const compareRulesets = (
  expected: readonly Ruleset[],
  listing: Listing,
): readonly Difference[] => {
  const tables = expected.flatMap(({ inet, bridge }) => [inet, bridge]);
  const mine = new Map(listing.tables.map((table) => [keyOf(table), table]));
  const differences = [
    ...tables.flatMap((table) => compareTables(normalTable(table), mine.get(keyOf(table)))),
    ...strayTables(tables, listing),
    ...interference(expected, othersThan(tables, listing)),
  ];
  return differences.slice(0, MAX_DIFFERENCES);
};

const compareTables = (expected: Table, found: ListedTable | undefined): readonly Difference[] => {
  const place = { table: keyOf(expected) };
  if (found === undefined) return [difference("table-missing", place, expected.comment, null)];
  const about = found.comment === null ? null : parseAbout(found.comment);
  const owner = parseAbout(expected.comment)?.owner;
  if (about === null || about.owner !== owner) {
    return [difference("table-foreign", place, expected.comment, found.comment)];
  }
  return [
    ...(found.comment === expected.comment
      ? []
      : [difference("table-comment", place, expected.comment, found.comment)]),
    ...found.extras.map((extra) => difference("table-flags", place, null, extra)),
    ...found.objects.map(({ kind, name }) =>
      difference("object-extra", place, null, `${kind} ${name}`),
    ),
    ...compareChains(place.table, expected, found),
  ];
};

/** The same name in a family that no table of ours is in: somebody plays one of ours. */
const strayTables = (tables: readonly Table[], listing: Listing): readonly Difference[] => {
  const names = new Set(tables.map(({ name }) => name));
  return othersThan(tables, listing)
    .filter(({ name }) => names.has(name))
    .map((table) =>
      difference("table-foreign", { table: keyOf(table) }, null, table.comment ?? "no comment"),
    );
};

const othersThan = (tables: readonly Table[], listing: Listing): readonly ListedTable[] => {
  const mine = new Set(tables.map(keyOf));
  return listing.tables.filter((table) => !mine.has(keyOf(table)));
};

const keyOf = ({ family, name }: { readonly family: string; readonly name: string }): string =>
  `${family} ${name}`;
