import type { Program } from "./program.js";

/** Runs what a process of the lab is for. What it didn't provide for is said, and ends it. */
export const runProgram = (program: Program, run: () => Promise<void>): void => {
  run().catch((error: unknown) => {
    process.stderr.write(`drydock: the ${program} failed: ${String(error)}\n`);
    process.exit(1);
  });
};
