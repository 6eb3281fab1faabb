import { type Command, Option } from "commander";
import type { EgressCheckFlags } from "../commands/egress.js";
import type { EgressServeFlags } from "../commands/egress-serve.js";
import { collect, json, type SetExit } from "./options.js";

/** `drydock egress …`: the only door out. */
export const addEgressVerbs = (program: Command, setExit: SetExit): void => {
  const egress = program
    .command("egress")
    .description("the only door out: a default-deny broker")
    .addHelpText("after", "\nExample:\n  drydock egress check policy.yaml api.example.com:443");
  egress
    .command("check")
    .description("say what a broker with this policy would decide, and by which rule; asks nobody")
    .argument("<policy>", "drydock.egress/v1, or a signed appliance policy")
    .argument("<authority>", "host:port")
    .addOption(
      new Option("--form <form>", "how it is asked for (default: as the policy grants it)").choices(
        ["connect", "absolute"],
      ),
    )
    .option("--key <file>", "public key that must have signed the policy")
    .option("--trust <file>", "trust file that lists the key that must have signed the policy")
    .option("--signature <file>", "the detached signature (default: POLICY.sig)")
    .addOption(json())
    .addHelpText(
      "after",
      `
Exit status: 0 granted, 1 refused, 2 wrong command line or policy, 3 not signed as it has to be.

Examples:
  drydock egress check policy.yaml api.example.com:443
  drydock egress check policy.yaml api.example.com:443 --key signer.pem`,
    )
    .action(async (policy: string, authority: string, flags: EgressCheckFlags) => {
      const { egressCheck } = await import("../commands/egress.js");
      setExit(egressCheck(policy, authority, flags));
    });
  egress
    .command("serve")
    .description("a CONNECT proxy for containers, until SIGTERM, SIGINT or a halt")
    .requiredOption("--listen <address>", "IP address and port: 127.0.0.1:3128, [::1]:3128")
    .requiredOption("--policy <file>", "drydock.egress/v1, or a signed appliance policy")
    .option("--log <dir>", "new or empty directory for the signed log")
    .option(
      "--workers <n>",
      "processes that serve, each with a log in a folder of DIR (default: 1)",
    )
    .option(
      "--resolver <address>",
      "name server for an appliance policy that names none; repeatable",
      collect,
    )
    .option("--key <file>", "public key that must have signed the policy")
    .option("--trust <file>", "trust file that lists the key that must have signed the policy")
    .option("--signature <file>", "the detached signature (default: POLICY.sig)")
    .option(
      "--release <file>",
      "release that the policy is of; signature and key are the release's",
    )
    .option("--require-readback <file>", "let nothing out unless this receipt is fresh")
    .option("--readback-key <file>", "public key that must have signed the receipt")
    .addOption(json())
    .addHelpText(
      "after",
      `
With --json one object is printed when it listens, and one when it has ended.
Exit status: 0 after a signal, 2 wrong command line or policy, 6 halted.

Examples:
  drydock egress serve --listen 127.0.0.1:3128 --policy policy.yaml --log ./egress-log
  HTTPS_PROXY=http://127.0.0.1:3128 curl https://api.example.com/`,
    )
    .action(async (flags: EgressServeFlags) => {
      const { egressServe } = await import("../commands/egress-serve.js");
      setExit(await egressServe(flags));
    });
};
