import { type Command, Option } from "commander";
import type { LabAcceptFlags } from "../commands/lab/accept-asked.js";
import { collect, json, type SetExit } from "./options.js";

export const addAcceptVerb = (lab: Command, setExit: SetExit): void => {
  lab
    .command("accept")
    .description(
      "play every scenario on a stand-in, and prove that its permission is gone after it",
    )
    .option("--scenario <name>", "this one alone; repeatable", collect)
    .option("--seed <n>", "draws what faults leave open", "1")
    .option("--repeat <n>", "how often each is played", "1")
    .option("--output <dir>", "a new directory for the reports: JSON, Markdown and JUnit's XML")
    .addOption(
      new Option("--target <what>", "an appliance is never changed without a person's approval")
        .choices(["stand-in", "appliance"])
        .default("stand-in"),
    )
    .option("--approval <file>", "of a person, for this very command, adapter and target")
    .option("--approval-signature <file>", "where it isn't FILE.sig.json")
    .addOption(json())
    .addHelpText(
      "after",
      `
Everything is started for it in a network namespace that leads nowhere, and is gone after it. A
supervisor outlives this process and takes the lab's permission away however it ends. It is sealed,
recorded and signed as a run is, and \`drydock verify\` checks it; the reports are artifacts of it. It
authorises nothing. docs/acceptance.md says what each scenario is, and what is searched for before
anything is kept.
Exit status: 0 PASS, 1 FAIL, 2 wrong command line, 4 INCOMPLETE (a signal, a deadline), 6 halted, and
for an appliance BLOCKED or NOT_PROVISIONED.

Examples:
  drydock lab accept --output ./acceptance
  drydock lab accept --scenario response_dropped_after_commit --repeat 10 --json`,
    )
    .action(async (flags: LabAcceptFlags) => {
      const { labAccept } = await import("../commands/lab/accept.js");
      setExit(await labAccept(flags));
    });
};
