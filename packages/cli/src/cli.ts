import { readFileSync } from "node:fs";
import { Command } from "commander";
import { describeUsage } from "./output.js";
import { addBoundaryVerbs } from "./verbs/boundary.js";
import { addDoctorVerb } from "./verbs/doctor.js";
import { addEgressVerbs } from "./verbs/egress.js";
import { addFaultsVerbs } from "./verbs/faults.js";
import { addHaltVerbs } from "./verbs/halt.js";
import { addImageVerbs } from "./verbs/image.js";
import { addKeysVerbs } from "./verbs/keys.js";
import { addLabVerbs } from "./verbs/lab.js";
import { verbName } from "./verbs/name.js";
import type { SetExit } from "./verbs/options.js";
import { addRunVerbs } from "./verbs/run.js";
import { addTrialsVerbs } from "./verbs/trials.js";
import { addVerifyVerb } from "./verbs/verify.js";

/** In the order in which the help lists them. */
const VERBS = [
  addRunVerbs,
  addVerifyVerb,
  addImageVerbs,
  addTrialsVerbs,
  addEgressVerbs,
  addBoundaryVerbs,
  addFaultsVerbs,
  addLabVerbs,
  addKeysVerbs,
  addHaltVerbs,
  addDoctorVerb,
];

/** The command line. Each verb loads what it needs when it runs, so that the others start fast. */
export const buildProgram = (setExit: SetExit): Command => {
  const program = new Command("drydock")
    .description(
      "Runs code that nobody should trust yet in a disposable virtual machine, and hands back evidence that a stranger can check and one exact verdict.",
    )
    .version(readVersion(), "-V, --version", "print the version")
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(describeUsage(text)) })
    .addHelpText(
      "after",
      `
Examples:
  drydock image build                          # once
  drydock run --source . --ref main -- npm test
  drydock verify DIRECTORY                     # the one that the run printed`,
    )
    .showHelpAfterError("(see --help)")
    .enablePositionalOptions()
    .configureHelp({ sortSubcommands: false })
    .hook("preAction", async (_program, command) => {
      const { guardVerb } = await import("./commands/guard.js");
      guardVerb(verbName(command));
    });

  for (const addVerbs of VERBS) addVerbs(program, setExit);
  return program;
};

/** Beside `dist/` in the tree and beside `bundle/` in an installation. */
const readVersion = (): string => {
  const manifest = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
};
