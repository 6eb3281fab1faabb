/** What one look at the halt state said. The generation grows with each `halt on` and `halt off`. */
export interface HaltReading {
  readonly halted: boolean;
  readonly generation: number;
}

export type HaltGateAnswer = "open" | "halted" | "generation-changed";

/**
 * Guard: nothing new starts under halt, nor after a halt that came and went since the run was
 * reserved. `reservedAt` is null while there is no reservation yet.
 */
export const haltGate = (reading: HaltReading, reservedAt: number | null): HaltGateAnswer => {
  if (reading.halted) return "halted";
  if (reservedAt !== null && reading.generation !== reservedAt) return "generation-changed";
  return "open";
};
