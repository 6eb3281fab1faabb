import { DrydockError, quote } from "@drydock/evidence";
import { SCENARIOS, type Scenario } from "../scenario/index.js";

/**
 * Scenarios of these names, with all their variants, in the catalogue's order; null is every one.
 *
 * @throws DrydockError LAB_SCENARIO for a name that there isn't
 */
export const chosenScenarios = (names: readonly string[] | null): readonly Scenario[] => {
  if (names === null) return SCENARIOS;
  const known: readonly string[] = [...new Set(SCENARIOS.map(({ name }) => name))];
  for (const name of names)
    if (!known.includes(name))
      throw new DrydockError("LAB_SCENARIO", `${quote(name)} is no scenario`, {
        fix: `Name some of: ${known.join(", ")}.`,
      });
  return SCENARIOS.filter(({ name }) => names.includes(name));
};
