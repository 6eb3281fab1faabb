import type { Command } from "commander";
import { json, type SetExit } from "./options.js";

/** `drydock halt …`: nothing dynamic, until a trusted key lifts it. */
export const addHaltVerbs = (program: Command, setExit: SetExit): void => {
  const halt = program
    .command("halt")
    .description("stop everything dynamic, and allow it again")
    .addHelpText("after", "\nExample:\n  drydock halt on --reason 'the image looks tampered with'");
  halt
    .command("on")
    .description("nothing new starts; running trials are killed, their channels first")
    .requiredOption("--reason <text>", "why")
    .option("--machine", "for every state directory of this machine")
    .addOption(json())
    .addHelpText("after", "\nExample:\n  drydock halt on --reason 'the image looks tampered with'")
    .action(async (flags: { reason: string }) => {
      const { haltOnCommand } = await import("../commands/halt.js");
      setExit(await haltOnCommand(flags));
    });
  halt
    .command("off")
    .description("lift a halt; signed with the controller's key and kept on record")
    .requiredOption("--reason <text>", "why")
    .option("--machine", "the machine-wide halt")
    .addOption(json())
    .addHelpText("after", "\nExample:\n  drydock halt off --reason 'checked: it was a rebuild'")
    .action(async (flags: { reason: string }) => {
      const { haltOffCommand } = await import("../commands/halt.js");
      setExit(await haltOffCommand(flags));
    });
  halt
    .command("status")
    .description("is there a halt, and why")
    .addOption(json())
    .addHelpText("after", "\nExample:\n  drydock halt status")
    .action(async (flags: object) => {
      const { haltStatusCommand } = await import("../commands/halt.js");
      setExit(haltStatusCommand(flags));
    });
};
