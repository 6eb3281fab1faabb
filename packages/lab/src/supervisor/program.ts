import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Each beside this module in the tree, and beside the bundle that holds it in an installation. */
const PROGRAMS = {
  supervisor: ["./main.js", "./lab-supervisor.cjs"],
  harness: ["../harness/main.js", "./lab-harness.cjs"],
  "stand-in": ["./stand-in-main.js", "./lab-stand-in.cjs"],
  worker: ["../scenario/worker/main.js", "./lab-worker.cjs"],
} as const;

export type Program = keyof typeof PROGRAMS;

export const findProgram = (program: Program): string => {
  const [inTree, inBundle] = PROGRAMS[program].map((place) =>
    fileURLToPath(new URL(place, import.meta.url)),
  ) as [string, string];
  return existsSync(inTree) ? inTree : inBundle;
};
