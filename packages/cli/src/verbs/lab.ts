import { type Command, Option } from "commander";
import type { LabApplianceFlags } from "../commands/lab/appliance.js";
import { json, type SetExit } from "./options.js";

/** `drydock lab …`: rehearse a change to an appliance. */
export const addLabVerbs = (program: Command, setExit: SetExit): void => {
  const lab = program.command("lab").description("rehearse a change to an appliance");
  lab
    .command("appliance")
    .description("a stand-in for pfSense with its REST API package, in a namespace of its own")
    .option("--address <ip>", "an address of RFC 5737", "192.0.2.10")
    .option("--port <n>", "where it listens", "443")
    .option("--name <name>", "one label before .lab.invalid", "appliance.lab.invalid")
    .option(
      "--files <dir>",
      "directory for its CA, credentials and state (default: a temporary one)",
    )
    .option("--candidate <alias>", "LAB_… or TEST_…: an alias to begin with")
    .option("--api-version <version>", "of the package that it stands in for", "2.10.0")
    .option("--control", "obey commands on standard input, and end when it does")
    .addOption(json())
    .addOption(new Option("--inside <json>").hideHelp())
    .addHelpText(
      "after",
      `
It is a stand-in and no pfSense: docs/acceptance.md says what it is like, and what it isn't. It
runs until SIGINT or SIGTERM; then, and also when it is killed, namespace and temporary files are
gone. Programs reach it through its namespace, whose path it prints.
Exit status: 0 after a signal, 2 wrong command line, 6 halted.

Examples:
  drydock lab appliance --candidate LAB_EXAMPLE
  nsenter --net=/proc/PID/ns/net curl --cacert FILES/ca.pem https://192.0.2.10/api/v2/system/version`,
    )
    .action(async (flags: LabApplianceFlags) => {
      const { labAppliance } = await import("../commands/lab/appliance.js");
      setExit(await labAppliance(flags));
    });
};
