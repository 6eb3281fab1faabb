import { isJsonObject, type JsonObject } from "@drydock/evidence";
import * as z from "zod/mini";
import { ENDPOINTS, type EndpointSymbol, READ_PATHS } from "../client/index.js";
import type { ApplianceModel } from "./model.js";

/** What an adapter's author gives besides the adapter. */
export interface Specimen {
  readonly appliance: ApplianceModel;
  /** Two that change one target of the appliance, each to something else. */
  readonly intents: readonly [JsonObject, JsonObject];
  /** Fields of the target that an intent changes. */
  readonly changes: readonly string[];
}

const object = z.custom<JsonObject>((value) => isJsonObject(value as JsonObject));
const key = z.string().check(z.minLength(1), z.maxLength(128));

/** More than three or four show nothing more, and each check goes through all of them. */
const MAX_OBJECTS = 64;

const common = {
  endpoint: z.enum(Object.keys(ENDPOINTS) as EndpointSymbol[]),
  readPath: z.enum(READ_PATHS),
};

const schema: z.ZodMiniType<Specimen> = z.strictObject({
  appliance: z.discriminatedUnion("kind", [
    z.strictObject({
      kind: z.literal("collection"),
      ...common,
      objects: z.array(object).check(z.minLength(3), z.maxLength(MAX_OBJECTS)),
      nameKey: key,
    }),
    z.strictObject({ kind: z.literal("singleton"), ...common, object }),
  ]),
  intents: z.tuple([object, object]),
  changes: z.array(key).check(z.minLength(1), z.maxLength(64)),
});

/** @returns null for what is no specimen. */
export const parseSpecimen = (value: unknown): Specimen | null => {
  const parsed = schema.safeParse(value);
  return parsed.success ? parsed.data : null;
};
