import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  artifactFile,
  artifactsBytes,
  type Conclusion,
  type Digest,
  digestOf,
  type Event,
  type Instant,
  LAB_MANIFEST_SCHEMA,
  type LabManifest,
  labGates,
} from "@drydock/evidence";
import { type EvidencePlace, openEvidence } from "../evidence/index.js";
import type { RunLayout } from "../home/index.js";

/** What a rehearsal's manifest says of the rehearsal; the rest is of the run. */
export type LabInputs = Omit<LabManifest, "schema" | "run" | "created" | "build" | "gates">;

export interface LabEvidenceOptions extends EvidencePlace {
  readonly inputs: LabInputs;
}

/** The evidence of one rehearsal. */
export interface LabEvidence {
  readonly run: string;
  /** As the manifest says it. */
  readonly created: Instant;
  readonly directory: string;
  /** @throws DrydockError EVENT_… when an event isn't what its type asks for */
  record(event: Event): void;
  /** Makes what was recorded durable, and signs it. */
  checkpoint(): void;
  /** Puts reports, by their names, where the verdict will commit them. Once. */
  keep(reports: Readonly<Record<string, Uint8Array>>): void;
  /** The last record, the verdict that follows from all, and its place in the journal. */
  conclude(ending: "completed" | "stopped"): Promise<Conclusion>;
}

/** @throws DrydockError as `openEvidence` */
export const openLabEvidence = async ({
  inputs,
  ...place
}: LabEvidenceOptions): Promise<LabEvidence> => {
  const evidence = await openEvidence("acceptance", place, (sealing) => ({
    ...inputs,
    ...sealing,
    schema: LAB_MANIFEST_SCHEMA,
    gates: labGates(inputs),
  }));
  let kept: Digest | null = null;
  return {
    run: evidence.run,
    created: evidence.created,
    directory: evidence.place.directory,
    record: (event) => evidence.record(event),
    checkpoint: () => evidence.checkpoint(),
    keep: (reports) => {
      const list = keepArtifacts(evidence.place, reports);
      kept = digestOf(list);
      const sizes = Object.values(reports).map(({ byteLength }) => byteLength);
      const [count, bytes] = [sizes.length, sizes.reduce((sum, size) => sum + size, 0)];
      evidence.record({
        type: "artifacts.collected",
        measurements: { artifacts: kept, count, bytes, refused: 0 },
      });
    },
    conclude: (ending) => evidence.conclude(ending, kept),
  };
};

/** @returns their list */
const keepArtifacts = (
  { artifacts }: RunLayout,
  reports: Readonly<Record<string, Uint8Array>>,
): Buffer => {
  mkdirSync(artifacts, { mode: 0o700 });
  const write = (name: string, bytes: Uint8Array): void =>
    writeFileSync(join(artifacts, name), bytes, { mode: 0o600, flag: "wx" });
  const listed = Object.entries(reports).map(([path, bytes]) => {
    const artifact = { path, bytes: bytes.byteLength, digest: digestOf(bytes) };
    write(artifactFile(artifact), bytes);
    return artifact;
  });
  const list = artifactsBytes(listed);
  write("artifacts.json", list);
  return list;
};
