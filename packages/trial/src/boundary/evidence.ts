import {
  BOUNDARY_MANIFEST_SCHEMA,
  type BoundaryManifest,
  boundaryGates,
  type Conclusion,
  type Event,
} from "@drydock/evidence";
import { type EvidencePlace, openEvidence } from "../evidence/index.js";

/** What a boundary's manifest says of the boundary; the rest is of the run. */
export type BoundaryInputs = Omit<
  BoundaryManifest,
  "schema" | "run" | "created" | "build" | "gates"
>;

export interface BoundaryEvidenceOptions extends EvidencePlace {
  readonly inputs: BoundaryInputs;
}

/** The evidence of one apply, or of one time at the gate. */
export interface BoundaryEvidence {
  readonly run: string;
  readonly directory: string;
  /** @throws DrydockError EVENT_… when an event isn't what its type asks for */
  record(event: Event): void;
  /** Makes what was recorded durable, and signs it. */
  checkpoint(): void;
  /** The last record, the verdict that follows from all, and its place in the journal. */
  conclude(ending: "completed" | "stopped"): Promise<Conclusion>;
}

/** @throws DrydockError as `openEvidence` */
export const openBoundaryEvidence = async ({
  inputs,
  ...place
}: BoundaryEvidenceOptions): Promise<BoundaryEvidence> => {
  const evidence = await openEvidence("boundary", place, (sealing) => ({
    ...inputs,
    ...sealing,
    schema: BOUNDARY_MANIFEST_SCHEMA,
    gates: boundaryGates(inputs),
  }));
  return {
    run: evidence.run,
    directory: evidence.place.directory,
    record: (event) => evidence.record(event),
    checkpoint: () => evidence.checkpoint(),
    conclude: (ending) => evidence.conclude(ending, null),
  };
};
