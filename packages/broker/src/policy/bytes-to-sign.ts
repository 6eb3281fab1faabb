import { readUserFile } from "@drydock/document";
import * as z from "zod/mini";
import { applianceBytes } from "./appliance.js";
import { applianceSchema } from "./appliance-schema.js";
import { policyBytes } from "./document.js";
import { type PolicyFileOptions, parsePolicyToSign } from "./parse.js";

const kind = z.looseObject({ schema_version: z.optional(z.unknown()) });

/**
 * What a key signs when it vouches for this file, an egress policy or an appliance's: nothing that
 * a broker would refuse afterwards.
 *
 * @throws DrydockError FILE_…
 */
export const policyBytesToSign = (bytes: Uint8Array, { file }: PolicyFileOptions): Buffer => {
  const { value } = readUserFile(bytes, kind, file);
  if (value.schema_version === undefined) return policyBytes(parsePolicyToSign(bytes, { file }));
  readUserFile(bytes, applianceSchema, file);
  return applianceBytes(bytes, file);
};
