import type { Ruleset } from "../model/index.js";
import {
  compareRulesets,
  compareSettings,
  type Difference,
  expectedSettings,
  type SettingsScope,
} from "../readback/index.js";
import type { Listing } from "../ruleset/index.js";
import { listAll } from "./list.js";
import type { NetworkNamespace } from "./namespace.js";
import { readSettings } from "./settings.js";

export interface ReadBack {
  /** [] when the kernel holds exactly what was expected. */
  readonly differences: readonly Difference[];
  readonly listing: Listing;
}

/** Reads tables and settings of a namespace and compares them with what they have to be. */
export const readBack = async (
  namespace: NetworkNamespace,
  expected: readonly Ruleset[],
  scope: SettingsScope,
): Promise<ReadBack> => {
  const settings = expectedSettings(scope);
  const [listing, observed] = await Promise.all([
    listAll(namespace),
    readSettings(
      namespace,
      settings.map(({ name }) => name),
    ),
  ]);
  return {
    differences: [...compareRulesets(expected, listing), ...compareSettings(settings, observed)],
    listing,
  };
};
