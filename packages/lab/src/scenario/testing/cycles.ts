import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { digestOf } from "@drydock/evidence";
import { openLab } from "../../testing/open-lab.js";
import { EXECUTED, rollback } from "../catalogue/build.js";
import { Play } from "../play/play.js";
import { setStage } from "../play/stage.js";
import type { ApplianceView } from "../world.js";

/** What one cycle left, as digests of the whole configuration's bytes. */
export interface Cycle {
  readonly before: string;
  readonly changed: string;
  /** Of the changed one, with the one field as it was before. */
  readonly changedButForTheField: string;
  readonly rolledBack: string;
  readonly state: string;
}

/**
 * The program of the cycles' test: changes the one field and takes it back, again and again on the
 * same appliance, each time with a store of its own. Prints what each left.
 */
const { cycles, ...given } = JSON.parse(process.argv[2] ?? "{}");
const lab = await openLab(given);
const { world } = lab;

/** Of the bytes as they stand, the order of keys included. */
const digest = ({ configuration }: ApplianceView): string =>
  digestOf(Buffer.from(JSON.stringify(configuration)));
const descrOf = ({ configuration }: ApplianceView): unknown =>
  configuration.aliases.find(({ name }) => name === world.candidate)?.["descr"];
const butForTheField = (changed: ApplianceView, before: ApplianceView): ApplianceView => ({
  ...changed,
  configuration: {
    ...changed.configuration,
    aliases: changed.configuration.aliases.map((alias) =>
      alias["name"] === world.candidate ? { ...alias, descr: descrOf(before) as string } : alias,
    ),
  },
});

const oneCycle = async (): Promise<Cycle> => {
  const scenario = { name: "clean_passthrough" } as const;
  const before = await world.appliance.snapshot();
  const stage = setStage(world, scenario, mkdtempSync(join(world.directory, "cycle-")));
  const play = new Play(world, before, stage, 1);
  await play.take({ steps: EXECUTED });
  const changed = await world.appliance.snapshot();
  await play.take({ steps: [rollback] });
  const rolledBack = await world.appliance.snapshot();
  return {
    before: digest(before),
    changed: digest(changed),
    changedButForTheField: digest(butForTheField(changed, before)),
    rolledBack: digest(rolledBack),
    state: play.found().state,
  };
};

const done: Cycle[] = [];
for (let cycle = 0; cycle < cycles; cycle += 1) done.push(await oneCycle());
const phases = (await world.proxy.log()).map(({ phase }) => phase);
process.stdout.write(JSON.stringify({ done, phases }));
await lab.close();
