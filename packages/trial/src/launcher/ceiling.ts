import { statfsSync } from "node:fs";
import { availableParallelism, totalmem } from "node:os";
import type { Resources } from "@drydock/ledger";
import { machineCeiling } from "../state/index.js";

/** What all live runs of this machine may occupy together. */
export const ceilingHere = (state: string): Resources => {
  const { bavail, bsize } = statfsSync(state);
  return machineCeiling({
    memoryBytes: totalmem(),
    cpus: availableParallelism(),
    freeDiskBytes: bavail * bsize,
  });
};
