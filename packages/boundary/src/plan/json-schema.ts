import * as z from "zod/mini";
import { resourcesSchema } from "./resources-schema.js";
import { authoredSchema } from "./schema.js";

/** JSON Schema 2020-12 of `drydock.plan/v1`, either form. */
export const planJsonSchema = (): Readonly<Record<string, unknown>> =>
  z.toJSONSchema(z.union([authoredSchema, resourcesSchema]), {
    target: "draft-2020-12",
    io: "input",
  });
