import type { Command } from "commander";
import { json, type SetExit } from "./options.js";

/** `drydock doctor`: what this machine can prove. */
export const addDoctorVerb = (program: Command, setExit: SetExit): void => {
  program
    .command("doctor")
    .description("what this machine can prove and what not, with the fix for each line")
    .addOption(json())
    .addHelpText("after", "\nExample:\n  drydock doctor")
    .action(async (flags: object) => {
      const { doctorCommand } = await import("../commands/doctor.js");
      setExit(await doctorCommand(flags));
    });
};
