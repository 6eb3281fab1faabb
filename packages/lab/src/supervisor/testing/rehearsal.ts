import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Rehearsal, SupervisedExit } from "../model.js";
import { parseLine } from "../parse-line.js";
import { supervisedExit } from "../starter-protocol.js";

/** Waits until the rehearsal has begun, and is being played. */
export const begun = async ({ events }: Rehearsal): Promise<void> => {
  for await (const event of events) if (event.type === "began") return;
  throw new Error("it didn't begin");
};

/** Waits until so many scenarios have come to their end. */
export const reported = async ({ events }: Rehearsal, count: number): Promise<void> => {
  let seen = 0;
  if (count === 0) return;
  for await (const event of events) {
    seen += event.type === "scenario" ? 1 : 0;
    if (seen === count) return;
  }
  throw new Error(`only ${seen} scenarios came to their end`);
};

export const exitFiles = (directory: string): readonly string[] =>
  readdirSync(directory).map((name) => join(directory, name));

export const exitIn = (file: string): SupervisedExit =>
  parseLine(supervisedExit, readFileSync(file));
