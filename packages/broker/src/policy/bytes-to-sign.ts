import { readUserFile } from "@drydock/document";
import * as z from "zod/mini";
import { applianceBytes } from "./appliance.js";
import { applianceSchema } from "./appliance-schema.js";
import { policyBytes } from "./document.js";
import { type PolicyFileOptions, parsePolicyToSign } from "./parse.js";

const kind = z.looseObject({ schema_version: z.optional(z.unknown()) });

/** The two formats name themselves under different keys. */
export const isAppliancePolicy = (bytes: Uint8Array, file: string): boolean =>
  readUserFile(bytes, kind, file).value.schema_version !== undefined;

/**
 * What a key signs when it vouches for this file, an egress policy or an appliance's: nothing that
 * a broker would refuse afterwards.
 *
 * @throws DrydockError FILE_…
 */
export const policyBytesToSign = (bytes: Uint8Array, { file }: PolicyFileOptions): Buffer => {
  if (!isAppliancePolicy(bytes, file)) return policyBytes(parsePolicyToSign(bytes, { file }));
  readUserFile(bytes, applianceSchema, file);
  return applianceBytes(bytes, file);
};
