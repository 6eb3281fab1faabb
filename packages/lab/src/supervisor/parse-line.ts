import { DrydockError, type JsonValue, parseJson } from "@drydock/evidence";
import * as z from "zod/mini";
import { MAX_LINE_BYTES } from "./lines.js";

/** Whatever JSON: that it is was found when the line was read. */
export const json = z.custom<JsonValue>((value) => value !== undefined);

/**
 * One message between processes of a rehearsal. The place is named and never what is there.
 *
 * @throws DrydockError LAB_LINE
 */
export const parseLine = <T>(schema: z.ZodMiniType<T>, line: Uint8Array): T =>
  parseValue(schema, jsonOf(line));

/** The same of what is a value already. @throws DrydockError LAB_LINE */
export const parseValue = <T>(schema: z.ZodMiniType<T>, value: unknown): T => {
  const parsed = z.safeParse(schema, value);
  if (parsed.success) return parsed.data;
  const [first] = parsed.error.issues;
  throw malformed(first === undefined ? "" : `${first.path.join(".")}: ${first.code}`);
};

const jsonOf = (line: Uint8Array): unknown => {
  try {
    return parseJson(line, { maxBytes: MAX_LINE_BYTES });
  } catch (cause) {
    throw malformed("no JSON", cause);
  }
};

const malformed = (why: string, cause?: unknown): DrydockError =>
  new DrydockError("LAB_LINE", `no message between processes of a rehearsal: ${why}`, {
    fix: "Start them all from one version.",
    cause,
  });
