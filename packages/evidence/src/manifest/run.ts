import { gatesReader } from "../gates/gate.js";
import { digest, id, instant } from "../schema/common.js";
import {
  array,
  boolean,
  integer,
  literal,
  nullable,
  object,
  oneOf,
  pattern,
  rule,
  type Shape,
  text,
  variants,
} from "../schema/reader.js";
import { ascending } from "./ascending.js";
import { build } from "./build.js";
import { egress, egressProblem } from "./egress.js";

export const MANIFEST_SCHEMA = "drydock.manifest/v1";

/** Tiers that a scenario may claim; a plain run claims none. */
export const TIERS = ["T0", "T1", "T2", "T3A", "T3B", "T4", "T5", "T6"] as const;
export type Tier = (typeof TIERS)[number];

const PATH = text(4096, 1);
const gitOid = pattern(/^([0-9a-f]{40}|[0-9a-f]{64})$/, "a git object id");

const command = object({
  argv: array(text(128 * 1024), 4096, 1),
  cwd: PATH,
  /** Values of an environment may be secret; names, and a commitment to all of it, are not. */
  environment: object({
    commitment: pattern(/^hmac-sha256:[0-9a-f]{64}$/, "hmac-sha256: and 64 hexadecimal digits"),
    names: rule(
      array(text(256, 1), 1024),
      ascending((name) => name, "names"),
    ),
  }),
  stdin: nullable(digest),
  tty: boolean,
  user: text(64, 1),
});

const sealed = { archive: digest, files: integer(0), bytes: integer(0) };

const source = variants({
  none: object({ kind: literal("none") }),
  git: object({
    kind: literal("git"),
    /** `directory`, `url` or `bundle`: how the vault was filled. */
    from: oneOf(["directory", "url", "bundle"]),
    /** Normalised remote without credentials, or null for a directory or bundle. */
    url: nullable(text(2048, 1)),
    bundle: nullable(digest),
    ref: text(1024, 1),
    commit: gitOid,
    tree: gitOid,
    ...sealed,
    /** What a work tree had beyond the commit and was left out; null when it had nothing. */
    uncommitted: nullable(object({ digest, count: integer(1) })),
  }),
  "working-tree": object({
    kind: literal("working-tree"),
    /** HEAD at sealing, null outside a repository. The files may differ from it: a weaker claim. */
    head: nullable(gitOid),
    ...sealed,
  }),
});

const image = object({
  name: text(256, 1),
  digest,
  kernel: digest,
  initrd: digest,
  root: digest,
  agent: digest,
});

const vmm = object({
  adapter: id,
  version: text(128, 1),
  binary: digest,
  firmware: array(object({ name: text(256, 1), digest }), 32),
  /** One digest over the sorted list of shared libraries with theirs. */
  libraries: digest,
  /** Of the command line, per-run paths and ids replaced by placeholders. */
  arguments: digest,
  accelerator: id,
  machine: text(256, 1),
  cpuModel: text(1024, 1),
});

const device = object({
  id: text(128, 1),
  driver: text(128, 1),
  parent: nullable(text(128, 1)),
});

const channel = object({
  name: id,
  kind: id,
  requestBytes: integer(0),
  responseBytes: integer(0),
  concurrency: integer(1),
  deadlineMs: integer(1),
  idempotency: oneOf(["none", "keyed"]),
  replay: oneOf(["refused", "recorded"]),
  cancellation: oneOf(["none", "cooperative", "revoke"]),
  destination: text(512, 1),
  receipts: oneOf(["each", "summary"]),
});

const topology = object({
  devices: rule(
    array(device, 256),
    ascending((item) => item.id, "device ids"),
  ),
  channels: rule(
    array(channel, 64),
    ascending((item) => item.name, "channel names"),
  ),
  /** What the kernel has to show of the VMM process. */
  process: object({
    interfaces: array(text(15, 1), 64),
    namespaces: array(id, 16),
    capabilities: array(id, 64),
    seccomp: integer(0, 2),
    noNewPrivileges: boolean,
    /** Its whole file system, in the order of mounting. */
    mounts: array(object({ target: PATH, type: text(64, 1), readOnly: boolean }), 64),
  }),
  /** All objects of the VMM but grantable devices, as the golden machine had them; null without one. */
  tree: nullable(digest),
});

const limits = object({
  cpus: integer(1, 1024),
  memoryBytes: integer(1),
  diskBytes: integer(0),
  wallMs: integer(1),
  idleMs: nullable(integer(1)),
  consoleBytes: integer(0),
  outputBytes: integer(0),
  artifactCount: integer(0, 65_536),
  artifactBytes: integer(0),
  artifactDepth: integer(1, 256),
  vmmPids: integer(1),
  vmmMemoryBytes: integer(1),
  /** Of the two processes that the host puts between guest and evidence. */
  portPids: integer(1),
  portMemoryBytes: integer(1),
  controllerPids: integer(1),
  controllerMemoryBytes: integer(1),
  /** Of the broker; null when there is none. */
  egressPids: nullable(integer(1)),
  egressMemoryBytes: nullable(integer(1)),
  networkChannels: integer(0, 64),
  /** Set inside the guest: GUEST_ASSERTED, no containment claim rests on them. */
  guestPids: integer(1),
  guestFds: integer(1),
});

/** The sealed inputs of one run. Two manifests that differ in any byte are two experiments. */
export const runManifestReader = rule(
  object({
    schema: literal(MANIFEST_SCHEMA),
    run: id,
    created: instant,
    scenario: nullable(digest),
    /** Null for a lab, whose commands come later and are recorded by digest as they start. */
    command: nullable(command),
    source,
    image,
    vmm,
    snapshot: nullable(object({ ramDigest: digest, stateDigest: digest })),
    topology,
    limits,
    build,
    policy: nullable(digest),
    /** Null for a run that reaches nothing outside. */
    egress: nullable(egress),
    /** Names of values that are planted in the guest and watched for. The values are the run's own. */
    canaries: rule(
      array(id, 64),
      ascending((name) => name, "canaries"),
    ),
    prices: nullable(digest),
    tests: nullable(digest),
    fixtures: nullable(digest),
    artifacts: array(PATH, 256),
    tier: nullable(oneOf(TIERS)),
    gates: gatesReader,
  }),
  (manifest) =>
    manifest.tier !== null && manifest.source.kind === "working-tree"
      ? "a working tree has no commit behind it and can't claim a tier"
      : egressProblem(manifest),
);
export type RunManifest = Shape<typeof runManifestReader>;
export type ManifestSource = RunManifest["source"];
export type ManifestChannel = RunManifest["topology"]["channels"][number];
export type ManifestDevice = RunManifest["topology"]["devices"][number];

export const manifestSchema = runManifestReader.schema;
