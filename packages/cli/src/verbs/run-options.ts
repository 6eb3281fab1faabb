import { type Command, Option } from "commander";
import { collect, json } from "./options.js";

/** What `run` and `shell` take. */
export const withRunOptions = (command: Command): Command =>
  withEgressOptions(withMachineOptions(command));

/** What decides how something runs in a machine that reaches nothing. */
export const withMachineOptions = (command: Command, image = "base"): Command =>
  command
    .option(
      "--source <source>",
      "directory, https git URL or git bundle to seal and stage at /work",
    )
    .option("--ref <ref>", "branch, tag or complete object id (default: HEAD)")
    .option("--working-tree", "seal the files as they are: the weaker claim, eligible for no tier")
    .option("--image <name>", `image to run in (default: ${image})`)
    .option("--env <NAME=VALUE>", "environment variable; repeatable", collect)
    .option("--cwd <dir>", "working directory in the guest (default: /work)")
    .option("--user <user>", 'root, a uid, or uid:gid (default: "1000:1000")')
    .option(
      "--artifact <glob>",
      "collect what matches under the working directory; repeatable",
      collect,
    )
    .option("--cpus <n>", "virtual processors (default: 1)")
    .option("--memory <size>", "memory of the guest (default: 1GiB)")
    .option("--disk <size>", "writable disk of the guest (default: 8GiB)")
    .option("--timeout <duration>", "wall-clock bound (default: 10m)")
    .option("--idle <duration>", "longest silence of the guest (default: off)")
    .option("--output <size>", "kept of stdout and stderr (default: 64MiB)")
    .option("--console <size>", "kept of the console (default: 8MiB)")
    .option("--max-artifacts <n>", "files that may be collected (default: 256)")
    .option("--artifact-size <size>", "all collected files together (default: 64MiB)")
    .option("--artifact-depth <n>", "names in a collected path (default: 32)")
    .option("--guest-pids <n>", "processes inside the guest, asserted by the guest (default: 128)")
    .option("--guest-fds <n>", "descriptors inside the guest, asserted by the guest (default: 512)")
    .option(
      "--canary <NAME>",
      "plant a value in this variable and watch for it; repeatable",
      collect,
    )
    .option("--no-snapshot", "boot cold instead of cloning the golden snapshot")
    .option("--key <id>", "idempotency key: one key is one run")
    .option("--quiet", "say nothing but the command's own output")
    .addOption(
      new Option("--exit <which>", "exit status to hand on")
        .choices(["command", "verdict"])
        .default("command"),
    )
    .option("--json-file <file>", "write the JSON object to a file as well")
    .addOption(json());

const withEgressOptions = (command: Command): Command =>
  command
    .option("--allow <host:port>", "let the guest reach this name and port; repeatable", collect)
    .option("--policy <file>", "let the guest reach what a drydock.egress/v1 policy grants")
    .option("--policy-key <file>", "public key that must have signed the policy")
    .option("--policy-trust <file>", "trust file with the key that must have signed the policy")
    .option("--policy-signature <file>", "the policy's detached signature (default: POLICY.sig)")
    .option(
      "--secret <NAME=FILE@host:port>",
      "put the file's value into requests to this authority; the guest has a placeholder; repeatable",
      collect,
    )
    .option("--upstream-roots <file>", "PEM roots to verify upstreams by, where TLS is terminated")
    .option(
      "--resolver <address>",
      "name server to ask (default: this machine's); repeatable",
      collect,
    );
