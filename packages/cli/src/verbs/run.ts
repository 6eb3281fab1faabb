import type { Command } from "commander";
import type { RunFlags } from "../commands/flags.js";
import type { SetExit } from "./options.js";
import { withRunOptions } from "./run-options.js";

/** `drydock run` and `drydock shell`: something untrusted in a virtual machine. */
export const addRunVerbs = (program: Command, setExit: SetExit): void => {
  withRunOptions(program.command("run"))
    .description("run a command on a sealed source tree in a fresh virtual machine")
    .argument("<command...>", "program and arguments, after --")
    .option("-i, --stdin", "feed standard input to the command")
    .passThroughOptions()
    .addHelpText(
      "after",
      `
Exit status: the command's own when it completed and was contained; otherwise 120 FAIL,
121 INVALID, 122 INCOMPLETE, 123 UNCERTAIN, 124 deadline, 125 Drydock's own error, 126 BLOCKED.

Examples:
  drydock run --source . -- npm test
  drydock run --source https://example.org/project.git --ref v1.2.0 --artifact 'out/**' -- make
  drydock run --allow packages.example.com:443 --source . -- npm ci
  drydock run -- sh -c 'exit 7'`,
    )
    .action(async (argv: string[], flags: RunFlags) => {
      const { runCommand } = await import("../commands/run.js");
      setExit(await runCommand(flags, argv));
    });

  withRunOptions(program.command("shell"))
    .description("the same, interactive: a terminal in the lab")
    .argument("[command...]", "program and arguments, after -- (default: /bin/sh)")
    .passThroughOptions()
    .addHelpText("after", "\nExample:\n  drydock shell --source . --image debian -- bash")
    .action(async (argv: string[], flags: RunFlags) => {
      const { shellCommand } = await import("../commands/shell.js");
      setExit(await shellCommand(flags, argv));
    });
};
