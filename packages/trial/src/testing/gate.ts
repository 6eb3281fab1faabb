import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Swap, swapEnvironment } from "@drydock/testkit";
import type { TaskKind } from "../lifecycle/index.js";
import { untilTrue } from "./until.js";

/**
 * Where a run is to stand still: before or after one task of the lifecycle, which is the finest
 * place there is. `variant` is the task's stage or mode, where it has one.
 */
export interface Gate {
  readonly when: "before" | "after";
  readonly task: TaskKind;
  readonly variant?: string;
  /** In a run that is being killed because its time is up. */
  readonly killing?: true;
}

const PREFIX = "gate-";

/**
 * Environment of a `drydock` whose controller stops at the gate until it is opened. The shipped
 * code knows nothing of this: the test loader swaps one module of the launcher, which then starts
 * the controller with the test loader, which swaps one module of the controller.
 */
export const gatedEnvironment = (gate: Gate, environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv => {
  const inController = swapEnvironment([performTaskBehind(gate)], {});
  // The controller sees the program under another name than this process does.
  const root = new URL("../../../../", import.meta.url).href;
  const options = inController["NODE_OPTIONS"]?.replace(root, "file:///run/drydock/lib/");
  const forController = { ...inController, NODE_OPTIONS: options, LANG: "C.UTF-8" };
  return swapEnvironment(
    [
      {
        module: "packages/trial/dist/launcher/environment.js",
        source: `export * from "./environment.js?original";
          export const CONTROLLER_ENVIRONMENT = ${JSON.stringify(forController)};`,
      },
    ],
    environment,
  );
};

const performTaskBehind = ({ when, task, variant }: Gate): Swap => ({
  module: "packages/trial/dist/controller/perform.js",
  // With a query the loader hook doesn't match, so that the original is one import away.
  source: `import { existsSync, writeFileSync } from "node:fs";
    import { performTask as original } from "./perform.js?original";
    let reached = false;
    const stop = async (run) => {
      if (reached) return;
      reached = true;
      const gate = process.argv[2] + "/${PREFIX}" + run;
      writeFileSync(gate, "");
      while (!existsSync(gate + ".open")) await new Promise((resume) => setTimeout(resume, 20));
    };
    export const performTask = async (context, commands, task) => {
      const here = task.kind === ${JSON.stringify(task)} &&
        ${JSON.stringify(variant ?? null)} === (${variant === undefined} ? null : task.mode ?? task.stage);
      if (here && ${when === "before"}) await stop(context.order.run);
      const value = await original(context, commands, task);
      if (here && ${when === "after"}) await stop(context.order.run);
      return value;
    };`,
});

/** The run that stands at its gate in this state directory. */
export const runAtGate = async (state: string): Promise<string> => {
  const find = (): string | undefined =>
    readdirSync(state).find((name) => name.startsWith(PREFIX) && !name.endsWith(".open"));
  await untilTrue(() => find() !== undefined, 90_000, "the run to reach its gate");
  return (find() ?? "").slice(PREFIX.length);
};

export const openGate = (state: string, run: string): void => {
  const gate = join(state, `${PREFIX}${run}`);
  if (existsSync(gate)) writeFileSync(`${gate}.open`, "");
};
