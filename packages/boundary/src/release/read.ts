import { JsonError, type JsonValue, parseCanonical, quote } from "@drydock/evidence";
import type * as z from "zod/mini";
import { type BoundaryCode, refuse } from "../codes.js";

/**
 * A signed text has one spelling, RFC 8785's, so that whoever hashes it hashes the same.
 *
 * @throws DrydockError with the code, naming the place as a path.
 */
export const readCanonical = <T>(
  bytes: Uint8Array,
  schema: z.ZodMiniType<T>,
  what: string,
  { code, maxBytes }: { readonly code: BoundaryCode; readonly maxBytes: number },
): T => {
  const parsed = schema.safeParse(parse(bytes, what, code, maxBytes));
  if (parsed.success) return parsed.data;
  const said = parsed.error.issues.map(
    ({ path, message }) => `${what}: ${quote(path.map(String).join("."))}: ${message}`,
  );
  return refuse(code, said.slice(0, MAX_FINDINGS).join("\n"), FIX);
};

const MAX_FINDINGS = 10;

const FIX = { fix: "Take the release again from where it was signed." };

const parse = (
  bytes: Uint8Array,
  what: string,
  code: BoundaryCode,
  maxBytes: number,
): JsonValue => {
  try {
    return parseCanonical(bytes, { maxBytes });
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    return refuse(code, `${what}: ${error.message}`, { ...FIX, cause: error });
  }
};
