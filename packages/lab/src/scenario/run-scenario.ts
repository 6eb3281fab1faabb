import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Digest, digestOfValue } from "@drydock/evidence";
import { departures } from "./departures.js";
import type { Scenario } from "./model.js";
import { arrangedInVain } from "./play/in-vain.js";
import { configurationName, sendsIn, settledLog } from "./play/look.js";
import { Play } from "./play/play.js";
import { requireRestored } from "./play/require-restored.js";
import { ASKED_DESCRIPTION, setStage } from "./play/stage.js";
import { exchangeRow, type ScenarioRecord } from "./record.js";
import { MAX_FAILURES, MAX_RECORDS, type ScenarioReport } from "./report.js";
import { type Unexpected, unexpectedOf } from "./unexpected.js";
import type { ApplianceView, World } from "./world.js";

type Seen = Pick<ScenarioReport, "observed" | "faultTook" | "records" | "failures">;

/** Where it wasn't come to looking. */
const UNSEEN: Seen = { observed: null, faultTook: null, records: [], failures: [] };

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
  const errors: Unexpected[] = [];
  const attempt = async <T>(work: () => Promise<T>): Promise<T | null> => {
    try {
      return await work();
    } catch (error) {
      errors.push(unexpectedOf(error));
      return null;
    }
  };
  const begun = await attempt(() => beginPlay(world, { scenario, snapshot, seed, directory }));
  // How far it came is looked at whatever happened on the way, and cleared away whatever was seen.
  if (begun !== null) await attempt(() => begun.playing.take(scenario));
  const seen = (begun && (await attempt(() => look(world, begun, scenario)))) ?? UNSEEN;
  await attempt(() => clear(world, snapshot, directory));
  const [unexpected = null] = errors;
  const failures = [...seen.failures, ...errors.map(({ code }) => `unexpected: ${code}`)];
  return {
    ...{ name, variant, passed: failures.length === 0, expected, ...seen, unexpected },
    failures: failures.slice(0, MAX_FAILURES),
    durationMs: world.clock() - began,
  };
};

interface Begun {
  readonly playing: Play;
  readonly snapshot: ApplianceView;
  /** Of the appliance as the scenario found it. */
  readonly start: Digest;
  /** How much the proxy had logged before. */
  readonly from: number;
}

const beginPlay = async (
  world: World,
  {
    scenario,
    snapshot,
    seed,
    directory,
  }: {
    readonly scenario: Scenario;
    readonly snapshot: ApplianceView;
    readonly seed: number;
    readonly directory: string;
  },
): Promise<Begun> => {
  await world.appliance.restore(snapshot);
  const restored = await world.appliance.snapshot();
  requireRestored(restored, snapshot);
  const from = (await world.proxy.log()).length;
  const stage = setStage(world, scenario, directory);
  await world.handOver(stage.handed);
  const playing = new Play(world, snapshot, stage, seed);
  return { playing, snapshot, start: digestOfValue(restored.configuration), from };
};

/** What somebody sees from outside when it is over. */
const look = async (
  world: World,
  { playing, snapshot: before, start, from }: Begun,
  { oracle }: Scenario,
): Promise<Seen> => {
  playing.close();
  const { exchanges, settled } = await settledLog(world, from);
  const end = digestOfValue((await world.appliance.snapshot()).configuration);
  const { transitions, ...found } = playing.found();
  const { edited, sentLast, arranged, captured } = playing;
  const { candidate } = world;
  const names = { before, edited, candidate, asked: ASKED_DESCRIPTION, sentLast };
  const observed = { ...found, ...sendsIn(exchanges), appliance: configurationName(end, names) };
  const inVain = arrangedInVain(arranged, exchanges);
  const records: readonly ScenarioRecord[] = [
    { kind: "configuration", when: "start", digest: start },
    ...captured,
    ...exchanges.map(exchangeRow),
    ...transitions,
    { kind: "configuration", when: "end", digest: end },
  ];
  return {
    observed,
    faultTook: arranged.length === 0 ? null : inVain.length === 0,
    records: records.slice(0, MAX_RECORDS),
    failures: [
      ...departures(observed, oracle),
      ...playing.failures,
      ...inVain.map((what) => `fault: ${what} had no effect`),
      ...(settled ? [] : ["proxy: an exchange is still under way"]),
      ...(records.length > MAX_RECORDS ? [`records: ${records.length}, and not all kept`] : []),
    ],
  };
};

/**
 * Nothing stays armed for the next one, and nothing of this one is kept. The appliance is put back
 * before the store goes: whoever is killed in between leaves no change without its contract.
 */
const clear = async (
  { proxy, appliance }: World,
  snapshot: ApplianceView,
  directory: string,
): Promise<void> => {
  try {
    await proxy.disarm();
    await appliance.restore(snapshot);
  } finally {
    rmSync(directory, { recursive: true });
  }
};
