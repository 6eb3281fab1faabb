import type { Command } from "commander";
import type { FaultsServeFlags } from "../commands/faults/faults-serve.js";
import { json, type SetExit } from "./options.js";

/** `drydock faults …`: what disturbs a connection on purpose. */
export const addFaultsVerbs = (program: Command, setExit: SetExit): void => {
  const faults = program
    .command("faults")
    .description("what disturbs a connection on purpose")
    .addHelpText("after", "\nExample:\n  drydock faults serve --listen 127.0.0.1:8474");
  faults
    .command("serve")
    .description("proxies with toxics, driven by Toxiproxy's HTTP API, until SIGTERM or SIGINT")
    .option("--listen <address>", "where the API listens", "127.0.0.1:8474")
    .option("--config <file>", "proxies to begin with, as Toxiproxy's -config has them")
    .option(
      "--seed <n>",
      "what is drawn by chance is drawn from this (default: a new one, printed)",
    )
    .option("--listen-beyond-loopback", "allow listeners that other machines reach")
    .option("--upstream-beyond-loopback", "allow upstreams that are other machines")
    .addOption(json())
    .addHelpText(
      "after",
      `
With --json one object is printed when it listens, and one when it has ended.
Exit status: 0 after a signal, 2 wrong command line or file, 6 halted.

Examples:
  drydock faults serve --config toxiproxy.json
  curl -d '{"name":"db","listen":"127.0.0.1:5433","upstream":"127.0.0.1:5432"}' 127.0.0.1:8474/proxies
  curl -d '{"type":"latency","attributes":{"latency":300}}' 127.0.0.1:8474/proxies/db/toxics`,
    )
    .action(async (flags: FaultsServeFlags) => {
      const { faultsServe } = await import("../commands/faults/faults-serve.js");
      setExit(await faultsServe(flags));
    });
};
