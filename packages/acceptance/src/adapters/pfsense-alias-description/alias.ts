import * as z from "zod/mini";
import { AdapterError, type AdapterErrorCode } from "../../adapter/index.js";
import { MAX_LOCATOR, MAX_MEMBERS } from "./bounds.js";
import { aliasName, storedText } from "./text.js";

const members = z.array(storedText).check(z.maxLength(MAX_MEMBERS));

/**
 * An ordinary alias, whole, as pfSense-pkg-RESTAPI 2.10 gives it out. URL tables and what else has
 * another type aren't changed here. The appliance fills in details that are missing whenever it
 * writes an alias, so only one that has as many as members comes back as it was.
 */
const aliasSchema = z
  .strictObject({
    id: z.int().check(z.minimum(0), z.maximum(MAX_LOCATOR)),
    name: aliasName,
    type: z.enum(["host", "network", "port"]),
    descr: storedText,
    address: members,
    detail: members,
  })
  .check(z.refine(({ address, detail }) => address.length === detail.length));

export type Alias = z.infer<typeof aliasSchema>;

/** @param code what a value that is no such alias means where it came from. */
export const parseAlias = (value: unknown, code: AdapterErrorCode): Alias => {
  const parsed = aliasSchema.safeParse(value);
  if (!parsed.success) throw new AdapterError(code);
  return parsed.data;
};
