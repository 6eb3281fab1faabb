import { DrydockError, quote } from "@drydock/evidence";
import type { RunSpec, RunSpecInput } from "@drydock/trial";
import { parseSpec } from "../sdk/lab.js";
import type { LabEgress } from "../sdk/types.js";
import { checkFlags, flagName } from "./check-flags.js";

/** Flags of `run` and `shell`, as the command line gives them. */
export interface RunFlags {
  readonly source?: string;
  readonly ref?: string;
  readonly workingTree?: boolean;
  readonly image?: string;
  readonly env?: readonly string[];
  readonly cwd?: string;
  readonly user?: string;
  readonly artifact?: readonly string[];
  readonly cpus?: string;
  readonly memory?: string;
  readonly disk?: string;
  readonly timeout?: string;
  readonly idle?: string;
  readonly output?: string;
  readonly console?: string;
  readonly maxArtifacts?: string;
  readonly artifactSize?: string;
  readonly artifactDepth?: string;
  readonly guestPids?: string;
  readonly guestFds?: string;
  readonly snapshot: boolean;
  readonly stdin?: boolean;
  readonly key?: string;
  readonly exit: "command" | "verdict";
  readonly json?: boolean;
  readonly jsonFile?: string;
  readonly quiet?: boolean;
  readonly allow?: readonly string[];
  readonly policy?: string;
  readonly resolver?: readonly string[];
  readonly policyKey?: string;
  readonly policyTrust?: string;
  readonly policySignature?: string;
  readonly secret?: readonly string[];
  readonly upstreamRoots?: string;
  readonly canary?: readonly string[];
}

/** Flags as the specification that a file could hold as well. @throws DrydockError SPEC_INVALID */
export const specFromFlags = (flags: RunFlags, argv: readonly string[]): RunSpec => {
  checkFlags(flags);
  const limits = {
    ...number("cpus", flags.cpus),
    ...text("memory", flags.memory),
    ...text("disk", flags.disk),
    ...text("wall", flags.timeout),
    ...text("idle", flags.idle),
    ...text("output", flags.output),
    ...text("console", flags.console),
    ...number("artifacts", flags.maxArtifacts),
    ...text("artifactSize", flags.artifactSize),
    ...number("artifactDepth", flags.artifactDepth),
    ...number("guestPids", flags.guestPids),
    ...number("guestFds", flags.guestFds),
  };
  const input: RunSpecInput = {
    command: argv.length === 0 ? null : [...argv],
    env: readEnvironment(flags.env ?? []),
    ...text("cwd", flags.cwd),
    ...text("user", flags.user),
    ...text("image", flags.image),
    ...(flags.source === undefined
      ? {}
      : {
          source: {
            from: flags.source,
            ...(flags.ref === undefined ? {} : { ref: flags.ref }),
            ...(flags.workingTree === true ? { workingTree: true } : {}),
          },
        }),
    artifacts: [...(flags.artifact ?? [])],
    canaries: [...(flags.canary ?? [])],
    snapshot: flags.snapshot,
    exit: flags.exit,
    limits,
  };
  return parseSpec(input, (place) => flagOf(place, flags));
};

const readEnvironment = (pairs: readonly string[]): Record<string, string> => {
  const seen = new Map<string, string>();
  for (const pair of pairs) {
    const at = pair.indexOf("=");
    if (at < 1)
      throw new DrydockError(
        "SPEC_INVALID",
        `--env ${quote(pair)} has no ${at === 0 ? "name" : "value"}`,
        {
          fix: "Write --env NAME=VALUE; nothing is inherited from the host.",
        },
      );
    const name = pair.slice(0, at);
    if (seen.has(name))
      throw new DrydockError("SPEC_INVALID", `--env gives ${quote(name)} twice`, {
        fix: "Give each variable one value.",
      });
    seen.set(name, pair.slice(at + 1));
  }
  return Object.fromEntries(seen);
};

/** What the flags let the guest reach; nothing without any of them. */
export const egressOf = (flags: RunFlags): { readonly egress?: LabEgress } => {
  const egress: LabEgress = {
    ...(flags.allow === undefined ? {} : { allow: flags.allow }),
    ...text("policy", flags.policy),
    ...(flags.resolver === undefined ? {} : { resolvers: flags.resolver }),
    ...text("key", flags.policyKey),
    ...text("trust", flags.policyTrust),
    ...text("signature", flags.policySignature),
    ...(flags.secret === undefined ? {} : { secrets: flags.secret }),
    ...text("upstreamRoots", flags.upstreamRoots),
  };
  return Object.keys(egress).length === 0 ? {} : { egress };
};

const text = (name: string, value: string | undefined) =>
  value === undefined ? {} : { [name]: value };
/** What is no number stays text, and the schema says what is wrong with it. */
const number = (name: string, value: string | undefined) =>
  value === undefined ? {} : { [name]: /^[0-9]+$/.test(value) ? Number(value) : value };

/** Places in a specification whose flag has another name. */
const FLAGS: Readonly<Record<string, string>> = {
  command: "the command",
  env: "--env",
  cwd: "--cwd",
  user: "--user",
  image: "--image",
  "source.from": "--source",
  "source.ref": "--ref",
  artifacts: "--artifact",
  canaries: "--canary",
  "limits.wall": "--timeout",
  "limits.artifacts": "--max-artifacts",
};

/** The flag that set a place such as `limits.memory`, which is what its user knows it by. */
const flagOf = (place: string, { artifact, canary, image, user }: RunFlags): string => {
  const [, planted] = /^canaries\.(\d+)$/.exec(place) ?? [];
  if (planted !== undefined) return `--canary ${quote(canary?.[Number(planted)] ?? "")}`;
  const [, index] = /^artifacts\.(\d+)$/.exec(place) ?? [];
  if (index !== undefined) return `--artifact ${quote(artifact?.[Number(index)] ?? "")}`;
  if (place === "image" && image !== undefined) return `--image ${quote(image)}`;
  if (place === "user" && user !== undefined) return `--user ${quote(user)}`;
  const known = Object.keys(FLAGS).find((name) => place === name || place.startsWith(`${name}.`));
  if (known !== undefined) return `${FLAGS[known]}${place.slice(known.length).replace(".", " ")}`;
  const [, limit] = /^limits\.([A-Za-z]+)$/.exec(place) ?? [];
  return limit === undefined ? place : flagName(limit);
};
