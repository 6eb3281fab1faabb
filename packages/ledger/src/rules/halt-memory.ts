import type { HaltReading } from "./halt-gate.js";

/**
 * Guard: a halt file that is older than what was seen before has been put back or deleted, and a
 * deleted file must not lift a halt. `seen` is the highest generation this ledger ever met.
 */
export const againstMemory = (reading: HaltReading, seen: number): HaltReading =>
  reading.generation < seen ? { halted: true, generation: seen } : reading;
