import type { Authority, Ruleset } from "../model/index.js";
import type { Difference } from "./difference.js";

/** What is in nobody's own table, such as a setting, matters to both authorities. */
export const isAbout = (
  { table }: Pick<Difference, "table">,
  authority: Authority,
  expected: readonly Ruleset[],
): boolean => {
  const owner = expected.find(({ inet }) => table?.split(" ")[1] === inet.name);
  return owner === undefined || owner.authority === authority;
};

/** Kind and place, without what was expected and found. */
export const describeDifference = ({ kind, table, chain, rule }: Difference): string =>
  [kind, table, chain, rule].filter((part) => part !== null).join(" ");
