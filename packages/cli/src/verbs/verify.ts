import type { Command } from "commander";
import type { VerifyFlags } from "../commands/verify.js";
import { json, type SetExit } from "./options.js";

/** `drydock verify`: evidence, checked by a stranger. */
export const addVerifyVerb = (program: Command, setExit: SetExit): void => {
  program
    .command("verify")
    .description("check a run's evidence; needs no network and not the machine that ran it")
    .argument("<path>", "evidence directory")
    .option("--trust <file>", "trust file (default: this installation's)")
    .option("--journal <file>", "the controller's journal")
    .option("--expect <file>", "a checkpoint that was kept elsewhere: vouches for what it covers")
    .option("--rederive", "list the gates as the logs give them now")
    .addOption(json())
    .addHelpText(
      "after",
      `
Exit status: 0 PASS, 1 FAIL, 2 wrong command line, 3 INVALID, 4 INCOMPLETE, 5 UNCERTAIN.

Examples:
  drydock verify ~/.local/state/drydock/runs/20261130T101500Z-1a2b3c4d5e
  drydock verify --trust trust.json ./evidence    # of another machine`,
    )
    .action(async (path: string, flags: VerifyFlags) => {
      const { verifyCommand } = await import("../commands/verify.js");
      setExit(verifyCommand(path, flags));
    });
};
