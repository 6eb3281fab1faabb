import { type Command, Option } from "commander";
import type { BoundaryApplyFlags, BoundaryObserveFlags } from "../commands/boundary/apply.js";
import type { BoundaryClearFlags } from "../commands/boundary/clear.js";
import type { BoundaryCompileFlags } from "../commands/boundary/compile.js";
import type { BoundaryGateFlags } from "../commands/boundary/gate.js";
import type { ObserveHostFlags } from "../commands/boundary/observe-host.js";
import type { BoundaryReleaseFlags } from "../commands/boundary/release.js";
import type { BoundaryWatchFlags } from "../commands/boundary/watch.js";
import { collect, json, type SetExit } from "./options.js";

const PLAN = "drydock.plan/v1, or a planner's resources";

/** `drydock boundary …`: walls between containers. */
export const addBoundaryVerbs = (program: Command, setExit: SetExit): void => {
  const boundary = program
    .command("boundary")
    .description("walls between containers: two authorities' rules, proven")
    .addHelpText("after", "\nExample:\n  drydock boundary compile plan.yaml");
  boundary
    .command("compile")
    .description("print the rules that a plan and a policy become, each with the line it is from")
    .argument("<plan>", PLAN)
    .option("--policy <file>", "appliance policy of the platform's owner")
    .option("--platform <file>", "drydock.platform/v1: where the platform's parts are")
    .option("--topology <file>", "drydock.topology/v1: compile for what was observed")
    .option("--owner <name>", "whose tables they are", "appliance")
    .addOption(
      new Option("--realisation <kind>", "where frames within a bridge are judged")
        .choices(["native", "br_netfilter"])
        .default("native"),
    )
    .addOption(
      new Option(
        "--explain <source destination protocol port...>",
        "say which rule of which authority decides about a flow, and why",
      ).conflicts(["check", "nft"]),
    )
    .addOption(
      new Option("--check", "compare the rules with what plan and policy mean").conflicts("nft"),
    )
    .option("--nft", "print the transactions for nft -f")
    .addOption(
      new Option("--table", "print who may open what, predicted from plan and policy").conflicts([
        "nft",
        "check",
        "explain",
      ]),
    )
    .addOption(json())
    .addHelpText(
      "after",
      `
Without --topology the rules are for what \`boundary apply\` would make; ports are placeholders then.
Exit status: 0, or 1 for a denied flow or rules that differ from what is meant, 2 wrong command
line, plan or policy.

Examples:
  drydock boundary compile plan.yaml
  drydock boundary compile plan.yaml --explain web database tcp 5432
  drydock boundary compile plan.yaml --policy policy.json --platform platform.yaml --check`,
    )
    .action(async (plan: string, flags: BoundaryCompileFlags) => {
      const { boundaryCompile } = await import("../commands/boundary/compile.js");
      setExit(boundaryCompile(plan, flags));
    });

  withWanted(withAppliance(boundary.command("apply")))
    .description("bring a boundary up on an engine, and prove that it holds")
    .option("--receipt <file>", "write a readback receipt, for a broker that requires one")
    .option("--receipt-key <file>", "private key (PEM, Ed25519) that signs it")
    .option("--evidence <dir>", "a new directory for the evidence, instead of one in DRYDOCK_HOME")
    .option("--binding <file>", "write what this launch is bound to, for its gate")
    .addOption(json())
    .addHelpText(
      "after",
      `
Nothing is pulled or built, and nothing runs before the rules that contain it hold. Run it again
after an interruption: it goes on from what is there, and does nothing where nothing is to do.
Each time is sealed, recorded and signed as a run is; \`drydock verify\` checks it.
Exit status: 0, 1 where the kernel's rules aren't proven, 2 wrong command line or file, 4 interrupted.

Example:
  drydock boundary apply plan.yaml --policy policy.json --platform platform.yaml \\
    --release manifest.json --signature manifest.sig.json --key owner.pem \\
    --namespace /run/netns/appliance --docker-socket /run/appliance/engine.sock`,
    )
    .action(async (plan: string, flags: BoundaryApplyFlags) => {
      const { boundaryApply } = await import("../commands/boundary/apply.js");
      setExit(await boundaryApply(plan, flags));
    });

  withWanted(withAppliance(boundary.command("observe")))
    .description("compare what engine and kernel hold with what is meant; change nothing")
    .addOption(json())
    .addHelpText(
      "after",
      `
Takes the same files as apply. Exit status: 0, 1 where anything differs, 2 wrong command line or file.

Example:
  drydock boundary observe plan.yaml --dev --helper-image busybox@sha256:… \\
    --namespace /run/netns/appliance --docker-socket /run/appliance/engine.sock`,
    )
    .action(async (plan: string, flags: BoundaryObserveFlags) => {
      const { boundaryObserve } = await import("../commands/boundary/observe.js");
      setExit(await boundaryObserve(plan, flags));
    });

  withAppliance(withReleased(boundary.command("gate").argument("<plan>", PLAN)))
    .description("say whether an appliance may start, or its image be released; changes no rule")
    .addOption(
      new Option("--phase <phase>", "what for")
        .choices(["image-qualification", "start"])
        .makeOptionMandatory(),
    )
    .requiredOption("--platform <file>", "drydock.platform/v1: what the platform is made of")
    .option("--mounts <dir>", "where the sources of the anchors' mounts are")
    .requiredOption("--binding <file>", "what the launch is bound to, as apply --binding wrote it")
    .option("--host-observation <file>", "the look from outside, read last")
    .requiredOption("--host-key <file>", "public key that is trusted for looks from outside")
    .addOption(
      new Option("--audience <who>", "a participant is told a word and no reason")
        .choices(["operator", "participant"])
        .default("operator"),
    )
    .option("--all", "try every flow that is predicted, not a sample")
    .option("--evidence <dir>", "a new directory for the evidence, instead of one in DRYDOCK_HOME")
    .addOption(json())
    .addHelpText(
      "after",
      `
Open exactly when nothing is found: rules read back and evaluated, flows tried from inside, holders
of the engine counted, and a look from outside that is signed, of this launch and fresh when the
gate answers. Each time is sealed, recorded and signed as a run is; \`drydock verify\` checks it.
Exit status: 0 open, 1 shut, 6 not provisioned, 2 wrong command line or file.

Example:
  drydock boundary gate plan.yaml --phase start --policy policy.json --platform platform.yaml \\
    --release manifest.json --signature manifest.sig.json --key owner.pem \\
    --binding binding.json --host-observation host.json --host-key observer.pem \\
    --namespace /run/netns/appliance --docker-socket /run/appliance/engine.sock`,
    )
    .action(async (plan: string, flags: BoundaryGateFlags) => {
      const { boundaryGate } = await import("../commands/boundary/gate.js");
      setExit(await boundaryGate(plan, flags));
    });

  withReleased(withPlace(boundary.command("observe-host")))
    .description("sign what somebody outside of an appliance sees of it, for its gate")
    .requiredOption("--binding <file>", "what the launch is bound to, as apply --binding wrote it")
    .requiredOption("--observer-key <file>", "private key (PEM, Ed25519) that signs it")
    .option("--output <file>", "replace this file instead of printing")
    .option("--every <seconds>", "again and again, until SIGINT or SIGTERM")
    .addOption(json())
    .addHelpText(
      "after",
      `
A namespace is looked at with all that listens in it; a process with what it listens on itself.
What it prints, with --json or without, is the signed observation, RFC 8785. It is fresh for as long as the policy says.
Exit status: 0, 2 when there is none.

Example:
  drydock boundary observe-host --policy policy.json --release manifest.json \\
    --signature manifest.sig.json --key owner.pem --binding binding.json \\
    --observer-key observer.key --namespace /run/netns/appliance --output host.json --every 2`,
    )
    .action(async (flags: ObserveHostFlags) => {
      const { boundaryObserveHost } = await import("../commands/boundary/observe-host.js");
      setExit(await boundaryObserveHost(flags));
    });

  boundary
    .command("release")
    .description("make and sign the manifest of an appliance's release")
    .argument("<directory>", "where the artifacts lie, and the manifest is written")
    .requiredOption("--id <id>", "the release's")
    .requiredOption("--profile <id@version>", "the participant profile's")
    .requiredOption(
      "--artifact <kind=path>",
      "relative to the directory; repeatable, each of the nine kinds once",
      collect,
    )
    .requiredOption("--helper-image <name@digest>", "of nodes without an image of their own")
    .requiredOption("--proxy-image <name@digest>", "of the broker")
    .option("--signing-key <file>", "private key (PEM, Ed25519), instead of the controller's")
    .addOption(json())
    .addHelpText(
      "after",
      `
Writes manifest.json and manifest.sig.json, and replaces none. The policy is read first: what would
be refused isn't vouched for.

Example:
  drydock boundary release ./release --id seat-7 --profile red@1 --artifact boundary-policy=policy.json \\
    --artifact golden-disk=disk.img … --helper-image helper@sha256:… --proxy-image proxy@sha256:…`,
    )
    .action(async (directory: string, flags: BoundaryReleaseFlags) => {
      const { boundaryRelease } = await import("../commands/boundary/release.js");
      setExit(await boundaryRelease(directory, flags));
    });

  withWanted(withAppliance(boundary.command("watch")))
    .description("look on until a signal, and drop to the floor whatever isn't as it has to be")
    .option("--receipt <file>", "keep a readback receipt fresh, for a broker that requires one")
    .option("--receipt-key <file>", "private key (PEM, Ed25519) that signs it")
    .option("--report", "with --dev: say what is found, and drop nothing")
    .option("--evidence <dir>", "a new directory for the evidence, instead of one in DRYDOCK_HOME")
    .addOption(json())
    .addHelpText(
      "after",
      `
Takes the same files as apply, after it. Once dropped, only a new apply opens it; the watch keeps the
floor until then, so end it first. SIGINT and SIGTERM end it, and leave the rules as they are. It is
sealed, recorded and signed as a run is. With --json one object a line: watching, finding, floor, ended.
Exit status: 0 still open and nothing found, 1 found something, 2 wrong command line or file.

Example:
  drydock boundary watch plan.yaml --policy policy.json --platform platform.yaml \\
    --release manifest.json --signature manifest.sig.json --key owner.pem \\
    --receipt receipts/readback.json --receipt-key observer.key \\
    --namespace /run/netns/appliance --docker-socket /run/appliance/engine.sock`,
    )
    .action(async (plan: string, flags: BoundaryWatchFlags) => {
      const { boundaryWatch } = await import("../commands/boundary/watch.js");
      setExit(await boundaryWatch(plan, flags));
    });

  withAppliance(boundary.command("clear"))
    .description("remove exactly what a boundary's owner has: containers, networks, tables")
    .option("--policy <file>", "only for PID 1's own network namespace: the policy that allows it")
    .option("--release <file>", "signed release manifest that names the policy")
    .option("--signature <file>", "the manifest's detached signature")
    .option("--key <file>", "public key that is trusted for releases")
    .addOption(json())
    .addHelpText(
      "after",
      `
Example:
  drydock boundary clear --namespace /run/netns/appliance --docker-socket /run/appliance/engine.sock`,
    )
    .action(async (flags: BoundaryClearFlags) => {
      const { boundaryClear } = await import("../commands/boundary/clear.js");
      setExit(await boundaryClear(flags));
    });
};

const withWanted = (command: Command): Command =>
  command
    .argument("<plan>", PLAN)
    .option("--policy <file>", "appliance policy of the platform's owner")
    .option("--platform <file>", "drydock.platform/v1: what the platform is made of")
    .option("--mounts <dir>", "where the sources of the anchors' mounts are")
    .option("--release <file>", "signed release manifest: policy and images are its own")
    .option("--signature <file>", "the manifest's detached signature")
    .option("--key <file>", "public key that is trusted for releases")
    .option("--dev", "without a release; what comes of it is no evidence of an appliance")
    .option("--helper-image <name@digest>", "with --dev: image of nodes that have none");

const withReleased = (command: Command): Command =>
  command
    .requiredOption("--policy <file>", "appliance policy of the platform's owner")
    .requiredOption("--release <file>", "signed release manifest: policy and images are its own")
    .requiredOption("--signature <file>", "the manifest's detached signature")
    .requiredOption("--key <file>", "public key that is trusted for releases");

const withPlace = (command: Command): Command =>
  command
    .option("--namespace <path>", "the appliance's network namespace, such as /run/netns/NAME")
    .option("--pid <number>", "or a process that is in it");

const withAppliance = (command: Command): Command =>
  withPlace(command.option("--owner <name>", "whose boundary it is", "appliance")).option(
    "--docker-socket <path>",
    "of the engine in it",
    "/run/docker.sock",
  );
