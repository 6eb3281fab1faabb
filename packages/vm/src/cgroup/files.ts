import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errnoOf } from "../errors.js";

/** Undefined when the kernel has no such file; ENODEV is a group removed while we were looking. */
export const readControl = (directory: string, file: string): string | undefined => {
  try {
    return readFileSync(join(directory, file), "utf8");
  } catch (error) {
    if (errnoOf(error) === "ENOENT" || errnoOf(error) === "ENODEV") return undefined;
    throw error;
  }
};

export const writeControl = (directory: string, file: string, value: string): void =>
  writeFileSync(join(directory, file), value);
