import * as z from "zod/mini";
import { runSpecSchema } from "./run-spec.js";

/** JSON Schema 2020-12 of what a person writes; editors complete and check against it. */
export const runSpecJsonSchema = (): Readonly<Record<string, unknown>> =>
  z.toJSONSchema(runSpecSchema, { target: "draft-2020-12", io: "input" });
