import * as z from "zod/mini";
import { AdapterError } from "../../adapter/index.js";
import { ROW_LIMIT } from "./bounds.js";

/** What every endpoint answers with a 200, around its own data. */
export const successOf = <T extends z.ZodMiniType>(data: T) =>
  z.strictObject({
    code: z.literal(200),
    status: z.literal("ok"),
    response_id: z.literal("SUCCESS"),
    message: z.string(),
    data,
    /** Where HATEOAS is on; what it links to is not asked for. */
    _links: z.optional(z.unknown()),
  });

/** Of the other aliases nothing matters but what they are called. */
const row = z.looseObject({ name: z.string() });

export type AliasRow = z.infer<typeof row>;

const listSchema = successOf(z.array(row).check(z.maxLength(ROW_LIMIT)));
const objectSchema = successOf(z.unknown());

/** @throws AdapterError ANSWER_INVALID; ANSWER_INCOMPLETE for a list that may have been cut. */
export const rowsOf = (body: unknown): readonly AliasRow[] => {
  const parsed = listSchema.safeParse(body);
  if (!parsed.success) throw new AdapterError("ANSWER_INVALID");
  if (parsed.data.data.length >= ROW_LIMIT) throw new AdapterError("ANSWER_INCOMPLETE");
  return parsed.data.data;
};

/** @throws AdapterError ANSWER_INVALID */
export const objectOf = (body: unknown): unknown => {
  const parsed = objectSchema.safeParse(body);
  if (!parsed.success) throw new AdapterError("ANSWER_INVALID");
  return parsed.data.data;
};
