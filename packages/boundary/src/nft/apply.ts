import type { Digest } from "@drydock/evidence";
import type { Ruleset } from "../model/index.js";
import { compareRulesets, type Difference, isOfOwnTables } from "../readback/index.js";
import { parseAbout, printAbouts, printTables } from "../ruleset/index.js";
import { flushConntrack } from "./conntrack.js";
import type { ChangeableNamespace } from "./host-namespace.js";
import { runInside } from "./inside.js";
import { listAll } from "./list.js";
import { type OwnedTable, ownedTables, refuseForeign } from "./owned.js";
import { findTool, succeeded } from "./tool.js";
import { unproven } from "./unproven.js";
import { withheld } from "./withheld.js";

export interface Applied {
  /** Of the ruleset that the kernel holds now, read back. */
  readonly digest: Digest;
  /** Of what it held before, by its own word; null when there was nothing. */
  readonly previous: Digest | null;
  /** false: the kernel held it already. */
  readonly changed: boolean;
}

/**
 * Puts a ruleset in the place of its authority's tables, in one transaction, and reads it back. A
 * connection that began under other rules is forgotten. Idempotent: what is there already isn't
 * written again. A crash at any step leaves the old rules, the new ones, or the new ones without
 * their digest, which are none to whoever compares.
 *
 * `beside` are the rulesets of the same boundary that stand beside it, so that they aren't taken
 * for somebody else's.
 *
 * @throws DrydockError TABLE_FOREIGN before anything is changed; APPLY_UNPROVEN, with the
 *   differences as its cause, when what was read back isn't what was written
 */
export const applyRuleset = async (
  namespace: ChangeableNamespace,
  ruleset: Ruleset,
  beside: readonly Ruleset[] = [],
): Promise<Applied> => {
  // Before the change, so that a missing program doesn't leave connections that nobody forgets.
  for (const tool of ["nft", "conntrack"] as const) findTool(tool, namespace.toolDirectories);
  const owned = await ownedTables(namespace, ownerOf(ruleset), [ruleset.inet.name]);
  const { digest } = ruleset;
  const previous = owned.at(0)?.about.digest ?? null;
  const claims = owned.filter(({ about }) => about.digest === digest).length;
  // Both of its tables claim to be these already: whether they are is seen in their rules.
  if (claims === 2) {
    const before = await differencesOf(namespace, ruleset, beside);
    if (before.length === 0) return { digest, previous, changed: false };
    // Written again it would be the same, and wake whoever watches the rules.
    if (!before.some(isOfOwnTables)) throw unproven(before);
  }
  await load(namespace, withheld(ruleset), owned);
  await flushConntrack(namespace);
  const input = printAbouts(ruleset);
  const exit = await runInside(namespace, "nft", ["-f", "-"], { input });
  const differences = await differencesOf(namespace, ruleset, beside);
  // A table that is gone says no digest: nft's own words for it would name neither.
  if (!differences.some(isGone)) succeeded("nft", exit);
  if (differences.length > 0) throw unproven(differences);
  return { digest, previous, changed: true };
};

const isGone = ({ kind }: Difference): boolean =>
  kind === "table-missing" || kind === "table-foreign";

/** @throws DrydockError TABLE_FOREIGN for a table that has no chains, or was made just now */
const load = async (
  namespace: ChangeableNamespace,
  ruleset: Ruleset,
  owned: readonly OwnedTable[],
): Promise<void> => {
  const input = printTables(
    ruleset,
    owned.map(({ family }) => family),
  );
  const exit = await runInside(namespace, "nft", ["-f", "-"], { input });
  // EEXIST, of `create table`.
  if (exit.stderr.includes("File exists")) refuseForeign(ruleset.inet);
  succeeded("nft", exit);
};

/** Of this ruleset's tables and of strangers'; the ones beside it are read back by who owns them. */
const differencesOf = async (
  namespace: ChangeableNamespace,
  ruleset: Ruleset,
  beside: readonly Ruleset[],
): Promise<readonly Difference[]> => {
  const others = new Set(beside.flatMap(({ inet, bridge }) => [inet.name, bridge.name]));
  return compareRulesets([ruleset, ...beside], await listAll(namespace)).filter(
    ({ table }) => table === null || !others.has(table.split(" ")[1] ?? ""),
  );
};

const ownerOf = ({ inet }: Ruleset): string => parseAbout(inet.comment)?.owner ?? "";
