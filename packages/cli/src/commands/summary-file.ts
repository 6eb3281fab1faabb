import { writeFileSync } from "node:fs";
import { DrydockError } from "@drydock/evidence";
import type { RunFlags } from "./flags.js";
import type { Summary } from "./summary.js";

/** Before the run: afterwards its summary would be lost. @throws DrydockError FILE_UNWRITABLE */
export const requireWritable = (path: string): void => {
  try {
    writeFileSync(path, "");
  } catch (cause) {
    throw new DrydockError("FILE_UNWRITABLE", `cannot write ${path}: ${(cause as Error).message}`, {
      fix: "Name a file in a directory that exists and that you may write.",
      cause,
    });
  }
};

/** Puts the one JSON object where it was asked for. */
export const handOver = (summary: Summary, flags: RunFlags): void => {
  const line = `${JSON.stringify(summary)}\n`;
  if (flags.jsonFile !== undefined) writeFileSync(flags.jsonFile, line);
  if (flags.json === true) process.stdout.write(line);
};
