import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Artifact, artifactFile, artifactsBytes } from "../artifacts/artifacts.js";
import { digestOf } from "../digest/digest.js";
import { readJournal } from "../journal/read.js";
import { journalWriter } from "../journal/writer.js";
import type { SigningKey } from "../keys/key.js";
import { type Event, type LogWriter, openLog } from "../log/writer.js";
import type { RunManifest } from "../manifest/run.js";
import { sealManifest } from "../manifest/seal.js";
import type { Role } from "../record/vocabulary.js";
import { delegationMeasurements } from "../trust/delegate.js";
import { type Conclusion, concludeRun } from "../verdict/conclude.js";
import type { VerifyOptions } from "../verify/options.js";
import { testClock } from "./clock.js";
import { testKey } from "./keys.js";
import { testManifest } from "./manifest.js";
import { MemoryFile } from "./memory-file.js";
import { controllerTrustEntry, trustOf } from "./trust.js";

/** A controller's journal in memory. */
export class TestJournal {
  readonly log = new MemoryFile();
  readonly checkpoints = new MemoryFile();

  read(key: SigningKey) {
    return readJournal(this.source(), key.public);
  }

  source() {
    return { log: [this.log.bytes], checkpoints: this.checkpoints.text };
  }
}

export interface RunFixtureOptions {
  readonly manifest?: Partial<RunManifest>;
  readonly controllerKey?: SigningKey;
  readonly portKey?: SigningKey;
  readonly journal?: TestJournal;
  /** Rewrites what each role writes; "end" events included. */
  readonly events?: (role: Role, events: readonly Event[]) => readonly Event[];
  readonly artifacts?: Readonly<Record<string, string>>;
  /** Records between two checkpoints; six is about as often as phases change. */
  readonly checkpointEvery?: number;
  /** Stops before the verdict, as a crash would. */
  readonly unconcluded?: boolean;
}

export interface EvidenceFixture {
  readonly directory: string;
  readonly controllerKey: SigningKey;
  readonly journal: TestJournal;
  readonly conclusion: Conclusion | null;
  readonly options: VerifyOptions;
  read(file: string): Buffer;
  write(file: string, bytes: Uint8Array | string): void;
}

export interface RunFixture extends EvidenceFixture {
  readonly portKey: SigningKey;
}

export const FIXTURE_NOW = "2026-12-01T00:00:00.000Z";

const BYTES = { channel: "control.0", toGuest: 5120, fromGuest: 20480 };
const digest = (name: string) => digestOf(Buffer.from(name, "utf8"));

export const portEvents = (artifacts: readonly Artifact[]): readonly Event[] => [
  { type: "channel.open", measurements: { channel: "control.0" } },
  {
    type: "stage.done",
    decision: "verified",
    measurements: { archive: digest("archive"), bytes: 4096 },
  },
  { type: "exec.started", measurements: { exec: "exec-1", argv: digest("argv") } },
  { type: "exec.exit", decision: "exited", measurements: { exec: "exec-1", status: 0 } },
  ...artifacts.map(
    (artifact): Event => ({ type: "artifact.accepted", measurements: { ...artifact } }),
  ),
  { type: "channel.closed", decision: "host", measurements: BYTES },
  { type: "port.end", decision: "clean" },
];

const phase = (name: string): Event => ({
  type: "phase",
  decision: "entered",
  measurements: { name },
});

const attest = (stage: string): readonly Event[] =>
  (["attest.kernel", "attest.vmm"] as const).map((type) => ({
    type,
    decision: "match",
    measurements: { stage, observed: digest(type), differences: [] },
  }));

const canonical = (stage: string): Event => ({
  type: "seal.canonical",
  decision: "recorded",
  measurements: { stage, identity: digest("canonical") },
});

const controllerEvents = (
  before: readonly Event[],
  countersigned: Event,
  collected: Event,
): readonly Event[] => [
  phase("SEAL"),
  canonical("before"),
  ...before,
  phase("BOOT"),
  { type: "limits.readback", decision: "match", measurements: { limits: { pids: 64 } } },
  ...attest("start"),
  {
    type: "channel.granted",
    measurements: { channel: "control.0", lease: "lease-1", generation: 1 },
  },
  countersigned,
  ...attest("end"),
  { type: "channel.revoked", measurements: { channel: "control.0", reason: "quiesce" } },
  {
    type: "channel.bytes",
    decision: "equal",
    measurements: { ...BYTES, portToGuest: BYTES.toGuest, portFromGuest: BYTES.fromGuest },
  },
  collected,
  { type: "bounds.summary", decision: "within", measurements: { bounds: { wallMs: 900 } } },
  { type: "settle", decision: "settled", measurements: { reservation: "res-1" } },
  canonical("after"),
  { type: "destroy", decision: "clean", measurements: { leftovers: [] } },
  { type: "run.end", decision: "completed", measurements: { exit: { code: 0 } } },
];

/** Writes a whole valid run; nothing in it takes time from the real clock. */
export const writeRun = (directory: string, options: RunFixtureOptions = {}): RunFixture => {
  const controllerKey = options.controllerKey ?? testKey("controller");
  const portKey = options.portKey ?? testKey("port");
  const journal = options.journal ?? new TestJournal();
  const rewrite = options.events ?? ((_role: Role, events: readonly Event[]) => events);
  const sealed = sealManifest(testManifest(options.manifest));
  const { run, created } = sealed.manifest;
  const clock = testClock(created);
  const entry = {
    run,
    manifest: sealed.digest,
    experiment: sealed.experiment,
    wall: clock.wall(),
  };
  const journaling = journalWriter(journal.read(controllerKey), controllerKey, journal);
  const { place, earlierAttempts } = journaling.sealed(entry);

  mkdirSync(join(directory, "logs"), { recursive: true });
  mkdirSync(join(directory, "artifacts"));
  const write = (file: string, bytes: Uint8Array | string): void =>
    writeFileSync(join(directory, file), bytes);
  write("manifest.json", sealed.bytes);
  const artifacts = writeArtifacts(write, options.artifacts ?? { "coverage/lcov.info": "TN:\n" });

  const open = (role: Role, key: SigningKey) => {
    const files = { log: new MemoryFile(), checkpoints: new MemoryFile() };
    const writer = openLog({
      run,
      role,
      manifest: sealed.digest,
      key,
      clock,
      nonce: Buffer.from(role.padEnd(8).slice(0, 8)),
      ...files,
    });
    return { writer, files };
  };
  const port = open("port", portKey);
  const controller = open("controller", controllerKey);
  const every = options.checkpointEvery ?? 6;
  appendAll(port.writer, rewrite("port", portEvents(artifacts.list)), every);
  const head = port.writer.checkpoint();
  appendAll(
    controller.writer,
    rewrite(
      "controller",
      controllerEvents(
        [
          {
            type: "key.delegated",
            measurements: delegationMeasurements(portKey.public, "port", [
              "BROKER_OBSERVED",
              "GUEST_ASSERTED",
            ]),
          },
          {
            type: "journal.appended",
            measurements: { index: place.index, size: place.size, root: place.root },
          },
        ],
        {
          type: "countersign",
          measurements: { role: "port", size: head.size, root: head.root, channels: [BYTES] },
        },
        {
          type: "artifacts.collected",
          measurements: { ...artifacts.summary, refused: 0 },
        },
      ),
    ),
    every,
  );
  controller.writer.checkpoint();
  for (const [role, { files }] of [
    ["port", port],
    ["controller", controller],
  ] as const) {
    write(`logs/${role}.jsonl`, files.log.durable);
    write(`logs/${role}.checkpoint`, files.checkpoints.durable);
  }

  let conclusion: Conclusion | null = null;
  if (options.unconcluded !== true) {
    conclusion = concludeRun({
      directory,
      sealed,
      key: controllerKey,
      journal: place,
      earlierAttempts,
      artifacts: artifacts.summary.artifacts,
      now: clock.wall(),
    });
    write("verdict.dsse.json", conclusion.envelope);
    journaling.verdict({ ...entry, wall: clock.wall() }, conclusion.verdict, conclusion.statement);
  }
  return {
    directory,
    controllerKey,
    portKey,
    journal,
    conclusion,
    options: { trust: trustOf(controllerTrustEntry(controllerKey.public)), now: FIXTURE_NOW },
    read: (file) => readFileSync(join(directory, file)),
    write,
  };
};

const writeArtifacts = (write: RunFixture["write"], contents: Readonly<Record<string, string>>) => {
  const list = Object.entries(contents).map(([path, text]) => {
    const bytes = Buffer.from(text, "utf8");
    const artifact = { path, bytes: bytes.length, digest: digestOf(bytes) };
    write(`artifacts/${artifactFile(artifact)}`, bytes);
    return artifact;
  });
  const bytes = artifactsBytes(list);
  write("artifacts/artifacts.json", bytes);
  const total = list.reduce((sum, artifact) => sum + artifact.bytes, 0);
  return {
    list,
    summary: { artifacts: digestOf(bytes), count: list.length, bytes: total },
  };
};

export const appendAll = (log: LogWriter, events: readonly Event[], every: number): void => {
  events.forEach((event, index) => {
    log.append(event);
    if (index % every === every - 1) log.checkpoint();
  });
};
