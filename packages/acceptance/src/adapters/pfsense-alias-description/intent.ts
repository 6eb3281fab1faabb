import * as z from "zod/mini";
import { AdapterError } from "../../adapter/index.js";
import { aliasName, description } from "./text.js";

export const SEMANTIC_UNIT = "set_firewall_alias_description_v1";

const identitySchema = z.strictObject({ alias_name: aliasName });

/** The operation's name is part of it, so that it can't be read as another's. */
const intentSchema = z.strictObject({
  operation: z.literal(SEMANTIC_UNIT),
  raw_target_hint: identitySchema,
  new_description: description,
});

export type AliasIdentity = z.infer<typeof identitySchema>;
export type AliasDescriptionIntent = z.infer<typeof intentSchema>;

/** @throws AdapterError INTENT_INVALID */
export const parseIntent = (value: unknown): AliasDescriptionIntent => {
  const parsed = intentSchema.safeParse(value);
  if (!parsed.success) throw new AdapterError("INTENT_INVALID");
  return parsed.data;
};

/** @throws AdapterError IDENTITY_INVALID */
export const parseIdentity = (value: unknown): AliasIdentity => {
  const parsed = identitySchema.safeParse(value);
  if (!parsed.success) throw new AdapterError("IDENTITY_INVALID");
  return parsed.data;
};
