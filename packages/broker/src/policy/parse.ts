import { readUserFile } from "@drydock/document";
import { DrydockError, type JsonValue } from "@drydock/evidence";
import type * as z from "zod/mini";
import { policyFrom } from "./document.js";
import type { EgressPolicy } from "./model.js";
import { type PolicyDocument, policySchema, signedPolicySchema } from "./schema.js";

export interface PolicyFileOptions {
  /** As the user named it, for messages. */
  readonly file: string;
}

/**
 * Reads `drydock.egress/v1`, YAML or JSON, that nobody signed.
 *
 * @throws DrydockError FILE_TOO_LARGE, FILE_ENCODING, FILE_SYNTAX or FILE_INVALID, each finding as
 * `file:line:column: what`, one a line.
 */
export const parseEgressPolicy = (
  text: string | Uint8Array,
  options: PolicyFileOptions,
): EgressPolicy => readPolicy(text, policySchema, options);

/** The same for a policy that is to be signed, or is: every limit has to be there. */
export const parsePolicyToSign = (
  text: string | Uint8Array,
  options: PolicyFileOptions,
): EgressPolicy => readPolicy(text, signedPolicySchema, options);

/**
 * A policy as the manifest embeds it, with every default written out. Its grants have no lines.
 *
 * @throws DrydockError POLICY_INVALID
 */
export const policyFromDocument = (value: JsonValue): EgressPolicy => {
  const parsed = signedPolicySchema.safeParse(value);
  if (parsed.success) return policyFrom(parsed.data, () => null);
  const findings = parsed.error.issues.map(
    ({ path, message }) => `${path.map(String).join(".") || "policy"}: ${message}`,
  );
  throw new DrydockError("POLICY_INVALID", findings.join("\n"), {
    fix: "Give the document that a manifest or `drydock egress check --json` holds.",
  });
};

const readPolicy = (
  text: string | Uint8Array,
  schema: z.ZodMiniType<PolicyDocument>,
  { file }: PolicyFileOptions,
): EgressPolicy => {
  const bytes = typeof text === "string" ? Buffer.from(text) : text;
  const { value, lineOf } = readUserFile(bytes, schema, file);
  return policyFrom(value, (index) => lineOf(["authorities", index]));
};
