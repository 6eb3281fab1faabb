import { JsonError, parseJson } from "@drydock/evidence";
import * as z from "zod/mini";
import {
  CONFORMANCE_CHECKS,
  type ConformanceCheck,
  FILE_CHECKS,
  type FileCheck,
} from "./checks.js";

/** What the kit prints in a guest, one line. The guest asserts it: nobody else was there. */
export const REPORT_SCHEMA = "drydock.conformance/v1";

export type AnyCheck = ConformanceCheck | FileCheck;

export interface FileResult {
  readonly check: AnyCheck;
  readonly ok: boolean;
  /** What was found, for the author; the guest's words. Null where all is well. */
  readonly found: string | null;
}

/** In the order in which they are checked. */
export const ALL_CHECKS: readonly AnyCheck[] = [
  ...(Object.keys(FILE_CHECKS) as FileCheck[]),
  ...(Object.keys(CONFORMANCE_CHECKS) as ConformanceCheck[]),
];

export const MAX_FOUND_LENGTH = 400;

const schema = z.strictObject({
  schema: z.literal(REPORT_SCHEMA),
  results: z
    .array(
      z.strictObject({
        check: z.enum(ALL_CHECKS as [AnyCheck, ...AnyCheck[]]),
        ok: z.boolean(),
        found: z.nullable(z.string().check(z.maxLength(MAX_FOUND_LENGTH))),
      }),
    )
    .check(z.minLength(1), z.maxLength(ALL_CHECKS.length)),
});

/** @returns null for what is no report. */
export const parseReport = (output: string): readonly FileResult[] | null => {
  const bytes = Buffer.from(output.trimEnd(), "utf8");
  try {
    const parsed = schema.safeParse(parseJson(bytes));
    return parsed.success ? parsed.data.results : null;
  } catch (error) {
    if (error instanceof JsonError) return null;
    throw error;
  }
};

/** All of them, each once and in order, and nothing found: a part of a report says nothing. */
export const conforms = (results: readonly FileResult[]): boolean =>
  results.length === ALL_CHECKS.length &&
  results.every(({ check, ok }, at) => ok && check === ALL_CHECKS[at]);
