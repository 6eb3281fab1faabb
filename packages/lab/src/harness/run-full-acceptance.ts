import { type ExitControl, type ExitReport, verifyExit } from "../exit/index.js";
import {
  runScenario,
  SCENARIOS,
  type Scenario,
  type ScenarioReport,
  type Unexpected,
  unexpectedOf,
  type World,
} from "../scenario/index.js";

export interface AcceptanceOptions {
  /** Every one there is, unless given. */
  readonly scenarios?: readonly Scenario[];
  /** Draws what faults leave open. */
  readonly seed: number;
  /** How often each is played. */
  readonly repeat?: number;
  readonly onReport?: (report: ScenarioReport) => void;
}

/** What a rehearsal found. It authorises nothing, whatever it says. */
export interface AcceptanceReport {
  readonly passed: boolean;
  readonly target: { readonly kind: "stand-in"; readonly digest: string | null };
  readonly authorises: "nothing";
  readonly scenarios: readonly ScenarioReport[];
  /** Of those that were to be played. */
  readonly counts: { readonly passed: number; readonly failed: number; readonly notPlayed: number };
  readonly exit: ExitReport;
  /** An error of the harness itself, after which nothing more was played. */
  readonly unexpected: Unexpected | null;
}

/**
 * Plays all scenarios, one after the other, also after one that failed, and then, whatever happened,
 * takes the lab's permission away and proves it. Anything less than all of it is no pass.
 */
export const runFullAcceptance = async (
  world: World,
  exit: ExitControl,
  { scenarios = SCENARIOS, seed, repeat = 1, onReport }: AcceptanceOptions,
): Promise<AcceptanceReport> => {
  const reports: ScenarioReport[] = [];
  let digest: string | null = null;
  let unexpected: Unexpected | null = null;
  try {
    const snapshot = await world.appliance.snapshot();
    digest = snapshot.digest;
    for (let round = 0; round < repeat; round++)
      for (const [index, scenario] of scenarios.entries()) {
        const draw = seed + round * scenarios.length + index;
        const report = await runScenario(world, scenario, snapshot, draw);
        reports.push(report);
        onReport?.(report);
      }
    // As it was before, for whoever looks at it next; without this the last scenario's change stays.
    await world.appliance.restore(snapshot);
  } catch (error) {
    unexpected = unexpectedOf(error);
  }
  // After restoring: a snapshot brings a permission back.
  const ended = await verifyExit(exit);
  const planned = scenarios.length * repeat;
  const passed = reports.filter((report) => report.passed).length;
  return {
    passed:
      unexpected === null &&
      planned > 0 &&
      passed === planned &&
      ended.permissionRevoked &&
      ended.readOnlyConfirmed,
    target: { kind: "stand-in", digest },
    authorises: "nothing",
    scenarios: reports,
    counts: { passed, failed: reports.length - passed, notPlayed: planned - reports.length },
    exit: ended,
    unexpected,
  };
};
