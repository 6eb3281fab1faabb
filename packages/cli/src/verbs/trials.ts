import type { Command } from "commander";
import { json, type SetExit } from "./options.js";

/** `drydock trials …`: runs that were. */
export const addTrialsVerbs = (program: Command, setExit: SetExit): void => {
  const trials = program
    .command("trials")
    .description("list, show and clean up runs")
    .addHelpText("after", "\nExample:\n  drydock trials list");
  trials
    .command("list")
    .description("list runs, newest first")
    .addOption(json())
    .addHelpText("after", "\nExample:\n  drydock trials list")
    .action(async (flags: object) => {
      const { trialsList } = await import("../commands/trials.js");
      setExit(await trialsList(flags));
    });
  trials
    .command("show")
    .description("show one run")
    .argument("<run>", "its name, as in `drydock trials list`")
    .addOption(json())
    .addHelpText("after", "\nExample:\n  drydock trials show 20261130T101500Z-1a2b3c4d5e")
    .action(async (run: string, flags: object) => {
      const { trialsShow } = await import("../commands/trials.js");
      setExit(await trialsShow(run, flags));
    });
  trials
    .command("gc")
    .description("remove what dead runs left, mark them INCOMPLETE, delete old evidence")
    .option("--older-than <duration>", "delete evidence of runs that ended before that")
    .addOption(json())
    .addHelpText("after", "\nExample:\n  drydock trials gc --older-than 720h")
    .action(async (flags: object) => {
      const { trialsGc } = await import("../commands/trials.js");
      setExit(await trialsGc(flags));
    });
};
