import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DrydockError, digestOfValue } from "@drydock/evidence";
import { departures } from "./departures.js";
import type { Scenario } from "./model.js";
import { configurationName, sendsIn, settledLog } from "./play/look.js";
import { Play } from "./play/play.js";
import { ASKED_DESCRIPTION, setStage } from "./play/stage.js";
import { exchangeRow } from "./record.js";
import type { ScenarioReport } from "./report.js";
import { type Unexpected, unexpectedOf } from "./unexpected.js";
import type { ApplianceView, World } from "./world.js";

type Seen = Pick<ScenarioReport, "observed" | "faultTook" | "records" | "failures" | "unexpected">;

/**
 * Plays one scenario on the appliance as the snapshot has it, with a store and keys that are made
 * for it and destroyed after it, and compares what came of it with what has to. It doesn't throw:
 * what goes wrong in an unforeseen way is a report that didn't pass.
 */
export const runScenario = async (
  world: World,
  scenario: Scenario,
  snapshot: ApplianceView,
  seed: number,
): Promise<ScenarioReport> => {
  const began = world.clock();
  const { name, variant, oracle: expected } = scenario;
  const directory = mkdtempSync(join(world.directory, "scenario-"));
  const seen = await play(world, { scenario, snapshot, seed, directory });
  const left = await cleared(world, directory);
  const unexpected = seen.unexpected ?? left;
  const failures = [
    ...(seen.observed === null ? [] : departures(seen.observed, expected)),
    ...seen.failures,
    ...(unexpected === null ? [] : [`unexpected: ${unexpected.code}`]),
  ];
  const passed = failures.length === 0 && seen.observed !== null;
  const durationMs = world.clock() - began;
  return { name, variant, passed, expected, ...seen, failures, unexpected, durationMs };
};

const play = async (
  world: World,
  given: {
    readonly scenario: Scenario;
    readonly snapshot: ApplianceView;
    readonly seed: number;
    readonly directory: string;
  },
): Promise<Seen> => {
  const { appliance, proxy, candidate } = world;
  const { scenario, snapshot, seed, directory } = given;
  let observed: Seen["observed"] = null;
  let faultTook: Seen["faultTook"] = null;
  let records: Seen["records"] = [];
  let failures: Seen["failures"] = [];
  let unexpected: Seen["unexpected"] = null;
  try {
    await appliance.restore(snapshot);
    const restored = await appliance.snapshot();
    if (restored.digest !== snapshot.digest)
      throw new DrydockError("LAB_SNAPSHOT", "the appliance isn't as its snapshot is");
    const from = (await proxy.log()).length;
    const stage = setStage(world, scenario, directory);
    await world.handOver(stage.handed);
    const playing = new Play(world, snapshot, stage, seed);
    // How far it came is looked at whatever happened on the way.
    try {
      await playing.take(scenario);
    } catch (error) {
      unexpected = unexpectedOf(error);
    } finally {
      playing.close();
    }
    const { exchanges, settled } = await settledLog(world, from);
    const end = digestOfValue((await appliance.snapshot()).configuration);
    const { transitions, ...found } = playing.found();
    const { edited, sentLast } = playing;
    const as = { before: snapshot, edited, candidate, asked: ASKED_DESCRIPTION, sentLast };
    observed = { ...found, ...sendsIn(exchanges), appliance: configurationName(end, as) };
    const inVain = playing.faultsInVain(exchanges);
    faultTook = inVain && inVain.length === 0;
    failures = [
      ...playing.failures,
      ...(inVain ?? []).map((what) => `fault: ${what} had no effect`),
      ...(settled ? [] : ["proxy: an exchange is still under way"]),
    ];
    records = [
      { kind: "configuration", when: "start", digest: digestOfValue(restored.configuration) },
      ...exchanges.map(exchangeRow),
      ...transitions,
      { kind: "configuration", when: "end", digest: end },
    ];
  } catch (error) {
    unexpected ??= unexpectedOf(error);
  }
  return { observed, faultTook, records, failures, unexpected };
};

/** Nothing stays armed for the next one, and nothing of this one is kept. */
const cleared = async ({ proxy }: World, directory: string): Promise<Unexpected | null> => {
  try {
    await proxy.disarm();
    rmSync(directory, { recursive: true });
    return null;
  } catch (error) {
    return unexpectedOf(error);
  }
};
