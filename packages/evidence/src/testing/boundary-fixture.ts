import { digestOf } from "../digest/digest.js";
import { boundaryGates } from "../gates/boundary.js";
import type { Event } from "../log/writer.js";
import type { BoundaryManifest } from "../manifest/boundary.js";
import { writeControllerEvidence } from "./controller-fixture.js";
import type { EvidenceFixture, TestJournal } from "./run-fixture.js";

const of = (name: string) => digestOf(Buffer.from(name, "utf8"));

/** Of a time at the gate, or of an apply; gates follow from the rest. */
export const testBoundaryManifest = (changes: Partial<BoundaryManifest> = {}): BoundaryManifest => {
  const manifest: Omit<BoundaryManifest, "gates"> = {
    schema: "drydock.boundary-manifest/v1",
    run: "boundary-1",
    created: "2026-11-30T10:00:00.000Z",
    phase: "start",
    development: false,
    owner: "appliance",
    plan: of("plan"),
    policy: of("policy"),
    release: { digest: of("release"), payload: of("payload") },
    images: [{ reference: `helper@${of("helper")}`, id: of("helper id") }],
    rulesets: [
      { authority: "platform", realisation: "br_netfilter", digest: of("platform rules") },
      { authority: "scenario", realisation: "br_netfilter", digest: of("scenario rules") },
    ],
    topology: {
      kind: "observed",
      networks: 6,
      bridges: 6,
      bootId: "0b7f1d0e-8e7c-4b8e-9a53-1f2f6d0a9f10",
      daemonId: "ABCD:EFGH",
    },
    freshnessSeconds: 5,
    build: {
      version: "0.1.0",
      drydock: of("drydock"),
      native: null,
      node: { version: "20.20.2", digest: of("node") },
    },
    ...changes,
  };
  return { ...manifest, gates: changes.gates ?? boundaryGates(manifest) };
};

const probe = (authority: string, expectation: string): Event => ({
  type: "boundary.probe",
  decision: "passed",
  measurements: { identity: `${authority}/${expectation}`, authority, expectation },
});

/** What a boundary that holds leaves in its log, but for the journal's place. */
export const boundaryEvents = (manifest: BoundaryManifest): readonly Event[] => {
  const { phase, rulesets } = manifest;
  const applying: readonly Event[] = [
    { type: "boundary.stage", measurements: { name: "networks", count: 6 } },
    ...rulesets.map(
      ({ authority, digest }): Event => ({
        type: "boundary.table.loaded",
        decision: "created",
        measurements: { authority, digest },
      }),
    ),
  ];
  const atTheGate: readonly Event[] = [
    { type: "boundary.host-observation", decision: "fresh", measurements: { id: of("look") } },
    ...["platform", "scenario", ...(phase === "image-qualification" ? ["egress"] : [])].flatMap(
      (authority) => [probe(authority, "reachable"), probe(authority, "blocked")],
    ),
    {
      type: "boundary.holders",
      decision: "exact",
      measurements: { expected: 1, found: 1, unexpected: 0, missing: 0 },
    },
    { type: "boundary.gate", decision: "open", measurements: { phase, findings: 0 } },
  ];
  return [
    ...(phase === "apply" ? applying : []),
    ...rulesets.map(
      ({ authority, digest }): Event => ({
        type: "boundary.readback",
        decision: "match",
        measurements: { authority, digest, differences: 0, names: [] },
      }),
    ),
    {
      type: "boundary.meaning",
      decision: "equal",
      measurements: { cells: 4096, differing: 0, conflicts: 0, gaps: 0 },
    },
    ...(phase === "apply" ? [] : atTheGate),
    {
      type: "boundary.end",
      decision: "standing",
      measurements: { differences: 0, findings: 0 },
    },
    { type: "run.end", decision: "completed", measurements: { exit: { code: 0 } } },
  ];
};

export interface BoundaryFixtureOptions {
  readonly manifest?: Partial<BoundaryManifest>;
  readonly journal?: TestJournal;
  readonly events?: (events: readonly Event[]) => readonly Event[];
}

/** Writes the evidence of a boundary. */
export const writeBoundary = (
  directory: string,
  { manifest, journal, events: change }: BoundaryFixtureOptions = {},
): EvidenceFixture => {
  const made = testBoundaryManifest(manifest);
  const events = boundaryEvents(made);
  return writeControllerEvidence(directory, made, change?.(events) ?? events, journal);
};
