import { readFileSync } from "node:fs";
import type * as z from "zod/mini";
import { parseLine } from "./parse-line.js";
import { JOB_DESCRIPTOR } from "./processes.js";

/** @throws DrydockError LAB_LINE */
export const readJob = <T>(schema: z.ZodMiniType<T>): T =>
  parseLine(schema, readFileSync(JOB_DESCRIPTOR));
