import {
  runScenario,
  type Scenario,
  type ScenarioReport,
  type Unexpected,
  unexpectedOf,
  type World,
} from "../scenario/index.js";
import type { Played } from "./report.js";

export interface PlayOptions {
  readonly scenarios: readonly Scenario[];
  /** Draws what faults leave open. */
  readonly seed: number;
  /** How often each is played. */
  readonly repeat: number;
  readonly onReport?: (report: ScenarioReport) => void;
}

/**
 * Plays scenarios one after the other, also after one that failed, each on the appliance as it is
 * now. It doesn't throw: after an error of its own nothing more is played, and that is said.
 */
export const playScenarios = async (
  world: World,
  { scenarios, seed, repeat, onReport }: PlayOptions,
): Promise<Played> => {
  const reports: ScenarioReport[] = [];
  let digest: string | null = null;
  let unexpected: Unexpected | null = null;
  try {
    const before = await world.appliance.snapshot();
    digest = before.digest;
    for (let round = 0; round < repeat; round++)
      for (const [index, scenario] of scenarios.entries()) {
        const draw = seed + round * scenarios.length + index;
        const report = await runScenario(world, scenario, before, draw);
        reports.push(report);
        onReport?.(report);
      }
    // As it was before, for whoever looks at it next; without this the last scenario's change stays.
    await world.appliance.restore(before);
  } catch (error) {
    unexpected = unexpectedOf(error);
  }
  return { planned: scenarios.length * repeat, digest, scenarios: reports, unexpected };
};
