import type { BoundaryOwner, Ruleset } from "../model/index.js";
import { compareRulesets, compareSettings, type Difference } from "../readback/index.js";
import type { Listing } from "../ruleset/index.js";
import { type Aim, settingsFor } from "./aim.js";
import { rulesetIn } from "./ruleset-in.js";
import type { Seen } from "./seen.js";

/** Where the kernel differs from the rulesets that it has to hold, and from what they rest on. */
export const kernelDifferences = (
  aim: Omit<Aim, "wanted">,
  expected: readonly Ruleset[],
  { listing, settings }: Pick<Seen, "listing" | "settings">,
): readonly Difference[] => [
  ...compareRulesets(expected, listing),
  ...compareSettings(settingsFor(aim), settings),
];

/** Those of the expected rulesets that the kernel holds whole, as it holds them. */
export const heldRulesets = (
  owner: BoundaryOwner,
  expected: readonly Ruleset[],
  listing: Listing,
): readonly Ruleset[] =>
  expected.flatMap(({ authority }) => rulesetIn(listing, owner, authority) ?? []);
