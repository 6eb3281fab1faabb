import { digestOf } from "../digest/digest.js";
import { labGates } from "../gates/lab.js";
import type { Event } from "../log/writer.js";
import type { LabManifest } from "../manifest/lab.js";
import { writeControllerEvidence } from "./controller-fixture.js";
import type { EvidenceFixture, TestJournal } from "./run-fixture.js";

const of = (name: string) => digestOf(Buffer.from(name, "utf8"));

/** Of a rehearsal of three cases, each once; gates follow from the rest. */
export const testLabManifest = (changes: Partial<LabManifest> = {}): LabManifest => {
  const manifest: Omit<LabManifest, "gates"> = {
    schema: "drydock.lab-manifest/v1",
    run: "acceptance-1",
    created: "2026-11-30T10:00:00.000Z",
    command: "drydock lab accept --seed 1 --repeat 1",
    target: "stand-in",
    adapter: { name: "set_firewall_alias_description_v1", digest: of("adapter") },
    seed: 1,
    repeat: 1,
    deadlineMs: 600_000,
    extent: "all",
    scenarios: [
      { name: "clean_passthrough", variant: null, oracle: of("one") },
      { name: "clean_passthrough", variant: "and back", oracle: of("two") },
      { name: "d1_stale_description", variant: null, oracle: of("three") },
    ],
    build: {
      version: "0.1.0",
      drydock: of("drydock"),
      native: null,
      node: { version: "20.20.2", digest: of("node") },
    },
    ...changes,
  };
  return { ...manifest, gates: changes.gates ?? labGates(manifest) };
};

/** What a rehearsal that passed leaves in its log, but for the journal's place. */
const labEvents = ({ scenarios, repeat }: LabManifest): readonly Event[] => {
  const planned = Array.from({ length: repeat }, () => scenarios).flat();
  return [
    {
      type: "lab.target",
      decision: "stand-in",
      measurements: { digest: of("snapshot"), planned: planned.length },
    },
    ...planned.map(
      ({ name, variant }): Event => ({
        type: "lab.scenario",
        decision: "passed",
        measurements: {
          ...{ name, variant: variant ?? "", state: "VERIFIED" },
          ...{ failures: [], durationMs: 12 },
        },
      }),
    ),
    {
      type: "lab.exit",
      decision: "confirmed",
      measurements: { permissionRevoked: true, readOnlyConfirmed: true, destroyed: true },
    },
    {
      type: "lab.scan",
      decision: "clean",
      measurements: { files: 6, bytes: 9_000, values: 8, found: [] },
    },
    { type: "run.end", decision: "completed", measurements: { exit: { ending: "completed" } } },
  ];
};

export interface LabFixtureOptions {
  readonly manifest?: Partial<LabManifest>;
  readonly journal?: TestJournal;
  readonly events?: (events: readonly Event[]) => readonly Event[];
}

/** Writes the evidence of a rehearsal. */
export const writeRehearsal = (
  directory: string,
  { manifest, journal, events: change }: LabFixtureOptions = {},
): EvidenceFixture => {
  const made = testLabManifest(manifest);
  const events = labEvents(made);
  return writeControllerEvidence(directory, made, change?.(events) ?? events, journal);
};
