import type { Event, Verdict } from "@drydock/evidence";
import type { BoundaryEvidence } from "@drydock/trial";

/** Nobody knows what is there: what was being done threw, or was interrupted. */
const INTERRUPTED: Event = {
  type: "boundary.end",
  decision: "unknown",
  measurements: { differences: 0, findings: 0 },
};

/** Whatever comes of `work` is the end of the evidence, and has a verdict. */
export const recorded = async <T>(
  evidence: BoundaryEvidence,
  work: () => Promise<T>,
  eventsOf: (outcome: T) => readonly Event[],
): Promise<{ readonly outcome: T; readonly verdict: Verdict }> => {
  let outcome: T;
  try {
    outcome = await work();
  } catch (error) {
    evidence.record(INTERRUPTED);
    await evidence.conclude("stopped");
    throw error;
  }
  for (const event of eventsOf(outcome)) evidence.record(event);
  const { verdict } = await evidence.conclude("completed");
  return { outcome, verdict };
};
