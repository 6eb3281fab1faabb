import { readFileSync } from "node:fs";
import { DrydockError } from "@drydock/evidence";
import { Command, Option } from "commander";
import { addBoundaryVerbs } from "./commands/boundary/verbs.js";
import type { EgressCheckFlags } from "./commands/egress.js";
import type { EgressServeFlags } from "./commands/egress-serve.js";
import type { RunFlags } from "./commands/flags.js";
import type { VerifyFlags } from "./commands/verify.js";
import { describeUsage } from "./output.js";
import { verbName } from "./verbs.js";

const collect = (value: string, previous: readonly string[] = []): readonly string[] => [
  ...previous,
  value,
];

const json = (): Option => new Option("--json", "print one JSON object on stdout");

const withRunOptions = (command: Command): Command =>
  command
    .option(
      "--source <source>",
      "directory, https git URL or git bundle to seal and stage at /work",
    )
    .option("--ref <ref>", "branch, tag or complete object id (default: HEAD)")
    .option("--working-tree", "seal the files as they are: the weaker claim, eligible for no tier")
    .option("--image <name>", "image to run in (default: base)")
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
      "--canary <NAME>",
      "plant a value in this variable and watch for it; repeatable",
      collect,
    )
    .option(
      "--resolver <address>",
      "name server to ask (default: this machine's); repeatable",
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

/** The command line. Each verb loads what it needs when it runs, so that the others start fast. */
export const buildProgram = (setExit: (code: number) => void): Command => {
  const program = new Command("drydock")
    .description(
      "Runs code that nobody should trust yet in a disposable virtual machine, and hands back evidence that a stranger can check and one exact verdict.",
    )
    .version(readVersion(), "-V, --version", "print the version")
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(describeUsage(text)) })
    .showHelpAfterError("(see --help)")
    .enablePositionalOptions()
    .configureHelp({ sortSubcommands: false })
    .hook("preAction", async (_program, command) => {
      const { guardVerb } = await import("./commands/guard.js");
      guardVerb(verbName(command));
    });

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
      const { runCommand } = await import("./commands/run.js");
      setExit(await runCommand(flags, argv));
    });

  withRunOptions(program.command("shell"))
    .description("the same, interactive: a terminal in the lab")
    .argument("[command...]", "program and arguments, after -- (default: /bin/sh)")
    .passThroughOptions()
    .addHelpText("after", "\nExample:\n  drydock shell --source . --image debian -- bash")
    .action(async (argv: string[], flags: RunFlags) => {
      const { shellCommand } = await import("./commands/shell.js");
      setExit(await shellCommand(flags, argv));
    });

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
      const { verifyCommand } = await import("./commands/verify.js");
      setExit(verifyCommand(path, flags));
    });

  const image = program.command("image").description("build, import, list and remove images");
  image
    .command("build")
    .description("build an image from Debian packages; their scripts are never run")
    .addOption(new Option("--name <name>", "name of the image (default: the recipe's)"))
    .argument("[recipe]", "base or debian", "base")
    .option("--package <name>", "another Debian package; repeatable", collect)
    .addOption(json())
    .addHelpText("after", "\nExample:\n  drydock image build debian --package ripgrep")
    .action(async (recipe: string, flags: object) => {
      const { imageBuild } = await import("./commands/image.js");
      setExit(await imageBuild(readRecipe(recipe), flags));
    });
  image
    .command("import")
    .description("take an OCI image layout or a `docker save` archive as root file system")
    .argument("<path>", "directory or tar archive")
    .requiredOption("--name <name>", "name of the image")
    .option("--reference <name>", "which image, when the archive holds several")
    .addOption(json())
    .addHelpText("after", "\nExample:\n  drydock image import ./alpine.tar --name alpine")
    .action(async (path: string, flags: { name: string; reference?: string }) => {
      const { imageImport } = await import("./commands/image.js");
      setExit(await imageImport(path, flags));
    });
  image
    .command("list")
    .description("list images")
    .addOption(json())
    .addHelpText("after", "\nExample:\n  drydock image list")
    .action(async (flags: object) => {
      const { imageList } = await import("./commands/image.js");
      setExit(imageList(flags));
    });
  image
    .command("inspect")
    .description("print an image's manifest")
    .argument("<name>", "name or digest")
    .addOption(json())
    .addHelpText("after", "\nExample:\n  drydock image inspect base")
    .action(async (name: string, flags: object) => {
      const { imageInspect } = await import("./commands/image.js");
      setExit(imageInspect(name, flags));
    });
  image
    .command("prune")
    .description("remove what no image needs, and snapshots, which are made again")
    .addOption(json())
    .addHelpText("after", "\nExample:\n  drydock image prune")
    .action(async (flags: object) => {
      const { imagePrune } = await import("./commands/image.js");
      setExit(await imagePrune(flags));
    });

  const trials = program.command("trials").description("list, show and clean up runs");
  trials
    .command("list")
    .description("list runs, newest first")
    .addOption(json())
    .addHelpText("after", "\nExample:\n  drydock trials list")
    .action(async (flags: object) => {
      const { trialsList } = await import("./commands/trials.js");
      setExit(await trialsList(flags));
    });
  trials
    .command("show")
    .description("show one run")
    .argument("<run>", "its name, as in `drydock trials list`")
    .addOption(json())
    .addHelpText("after", "\nExample:\n  drydock trials show 20261130T101500Z-1a2b3c4d5e")
    .action(async (run: string, flags: object) => {
      const { trialsShow } = await import("./commands/trials.js");
      setExit(await trialsShow(run, flags));
    });
  trials
    .command("gc")
    .description("remove what dead runs left, mark them INCOMPLETE, delete old evidence")
    .option("--older-than <duration>", "delete evidence of runs that ended before that")
    .addOption(json())
    .addHelpText("after", "\nExample:\n  drydock trials gc --older-than 720h")
    .action(async (flags: object) => {
      const { trialsGc } = await import("./commands/trials.js");
      setExit(await trialsGc(flags));
    });

  const egress = program.command("egress").description("the only door out: a default-deny broker");
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
      const { egressCheck } = await import("./commands/egress.js");
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
      const { egressServe } = await import("./commands/egress-serve.js");
      setExit(await egressServe(flags));
    });

  addBoundaryVerbs(program, setExit);

  const keys = program.command("keys").description("the controller's signing keys");
  keys
    .command("init")
    .description("make the controller's key (a first run does it by itself)")
    .addOption(json())
    .addHelpText("after", "\nExample:\n  drydock keys init")
    .action(async (flags: object) => {
      const { keysInit } = await import("./commands/keys.js");
      setExit(keysInit(flags));
    });
  keys
    .command("list")
    .description("list keys and what they may sign")
    .addOption(json())
    .addHelpText("after", "\nExample:\n  drydock keys list")
    .action(async (flags: object) => {
      const { keysList } = await import("./commands/keys.js");
      setExit(keysList(flags));
    });
  keys
    .command("export")
    .description("print the trust file, for whoever is to check evidence")
    .option("--pem", "print the current public key instead, for whoever is to check a signature")
    .addOption(json())
    .addHelpText(
      "after",
      "\nExamples:\n  drydock keys export > trust.json\n  drydock verify --trust trust.json DIR\n  drydock keys export --pem > signer.pem",
    )
    .action(async (flags: { pem?: boolean }) => {
      const { keysExport } = await import("./commands/keys.js");
      setExit(keysExport(flags));
    });
  keys
    .command("rotate")
    .description("replace the key; the old one still verifies what it signed")
    .addOption(json())
    .addHelpText("after", "\nExample:\n  drydock keys rotate")
    .action(async (flags: object) => {
      const { keysRotate } = await import("./commands/keys.js");
      setExit(keysRotate(flags));
    });
  keys
    .command("revoke")
    .description("mark a key as no longer its owner's alone")
    .argument("<key>", "sha256:… as in `keys list`")
    .addOption(json())
    .addHelpText("after", "\nExample:\n  drydock keys revoke sha256:0f8a\u2026")
    .action(async (key: string, flags: object) => {
      const { keysRevoke } = await import("./commands/keys.js");
      setExit(keysRevoke(key, flags));
    });

  program
    .command("sign")
    .description("sign a file's bytes for one namespace; prints a detached signature")
    .argument("<file>", "a policy is signed for what it means, anything else byte for byte")
    .requiredOption("--namespace <namespace>", "policy, plan, approval, promotion or release")
    .addOption(json())
    .addHelpText(
      "after",
      "\nExample:\n  drydock sign policy.yaml --namespace policy > policy.yaml.sig",
    )
    .action(async (file: string, flags: { namespace: string }) => {
      const { signFile } = await import("./commands/keys.js");
      setExit(signFile(file, flags));
    });

  const halt = program.command("halt").description("stop everything dynamic, and allow it again");
  halt
    .command("on")
    .description("nothing new starts; running trials are killed, their channels first")
    .requiredOption("--reason <text>", "why")
    .option("--machine", "for every state directory of this machine")
    .addOption(json())
    .addHelpText("after", "\nExample:\n  drydock halt on --reason 'the image looks tampered with'")
    .action(async (flags: { reason: string }) => {
      const { haltOnCommand } = await import("./commands/halt.js");
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
      const { haltOffCommand } = await import("./commands/halt.js");
      setExit(haltOffCommand(flags));
    });
  halt
    .command("status")
    .description("is there a halt, and why")
    .addOption(json())
    .addHelpText("after", "\nExample:\n  drydock halt status")
    .action(async (flags: object) => {
      const { haltStatusCommand } = await import("./commands/halt.js");
      setExit(haltStatusCommand(flags));
    });

  program
    .command("doctor")
    .description("what this machine can prove and what not, with the fix for each line")
    .addOption(json())
    .addHelpText("after", "\nExample:\n  drydock doctor")
    .action(async (flags: object) => {
      const { doctorCommand } = await import("./commands/doctor.js");
      setExit(await doctorCommand(flags));
    });
  return program;
};

/** Beside `dist/` in the tree and beside `bundle/` in an installation. */
const readVersion = (): string => {
  const manifest = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
};

const readRecipe = (text: string): "base" | "debian" => {
  if (text === "base" || text === "debian") return text;
  throw new DrydockError("RECIPE_UNKNOWN", `there is no recipe "${text}"`, {
    fix: "Use base or debian.",
  });
};
