import { type Command, Option } from "commander";
import type { ApplianceInGuestFlags, LabApplianceFlags } from "../commands/lab/appliance.js";
import { collect, type SetExit } from "./options.js";
import { withMachineOptions } from "./run-options.js";

/** `drydock lab appliance`: the stand-in, in a namespace here or in a guest beside a command. */
export const addApplianceVerb = (lab: Command, setExit: SetExit): void => {
  const appliance = lab
    .enablePositionalOptions()
    .command("appliance")
    .description("a stand-in for pfSense with its REST API package, in a namespace of its own")
    .argument("[command...]", "with --in-guest: program and arguments, after -- (default: /bin/sh)")
    .passThroughOptions()
    .option("--address <ip>", "an address of RFC 5737", "192.0.2.10")
    .option("--port <n>", "where it listens", "443")
    .option("--name <name>", "LABEL.lab.invalid", "appliance.lab.invalid")
    .option(
      "--besides <ip>",
      "another address there, for a proxy between a client and it; repeatable",
      collect,
    )
    .option(
      "--files <dir>",
      "directory for its CA, credentials and state (default: a temporary one)",
    )
    .option("--candidate <alias>", "LAB_… or TEST_…: an alias to begin with")
    .option("--api-version <version>", "of the package that it stands in for", "2.10.0")
    .option("--control", "obey commands on standard input, and end when it does")
    .addOption(new Option("--inside <json>").hideHelp())
    .option("--in-guest", "in a virtual machine, and COMMAND beside it; with what follows")
    .option("-i, --stdin", "feed standard input to the command");
  withMachineOptions(appliance, "lab")
    .addHelpText(
      "after",
      `
It is a stand-in and no pfSense: docs/acceptance.md says what it is like, and what it isn't.

Without --in-guest it runs until SIGINT or SIGTERM; then, and also when it is killed, namespace and
temporary files are gone. Programs reach it through its namespace, whose path it prints.
Exit status: 0 after a signal, 2 wrong command line, 6 halted.

With --in-guest it is in a disposable virtual machine, and COMMAND runs beside it as somebody who
isn't root, on a staged source if there is one. PFSENSE_LAB_API_URL, _IDENTITY, _API_KEY_FILE and
_CANDIDATE are set, and the usual variables for its CA. Without COMMAND a shell on this terminal.
Evidence, verdict and exit status are those of drydock run.

Examples:
  drydock lab appliance --candidate LAB_EXAMPLE
  nsenter --net=/proc/PID/ns/net curl --cacert FILES/ca.pem https://192.0.2.10/api/v2/system/version
  drydock image build base --name lab --modules lab
  drydock lab appliance --in-guest --candidate LAB_EXAMPLE --source . -- node client.mjs`,
    )
    .action(async (command: string[], flags: LabApplianceFlags & ApplianceInGuestFlags) => {
      const { labAppliance } = await import("../commands/lab/appliance.js");
      setExit(await labAppliance(flags, command));
    });
};
