import * as z from "zod/mini";
import { AdapterError, type AdapterErrorCode } from "../../adapter/index.js";

/** Nothing's own limits: only that both sides of an edge can be tested. */
export const MAX_HEADLINE_LENGTH = 80;
export const MAX_PRIORITY = 9;

const headline = z.string().check(
  z.minLength(1),
  z.refine((text) => [...text].length <= MAX_HEADLINE_LENGTH),
  z.regex(/^[^\p{C}\p{Zl}\p{Zp}]*$/u),
);

/** What comes in is brought into NFC; what was read has to be in it. */
const given = z.pipe(
  z.transform((text: unknown) => (typeof text === "string" ? text.normalize("NFC") : text)),
  headline,
);
const stored = headline.check(z.refine((text) => text === text.normalize("NFC")));
const priority = z.int().check(z.minimum(0), z.maximum(MAX_PRIORITY));

export const SEMANTIC_UNIT = "set_synthetic_notice_v1";

const intentSchema = z.strictObject({
  operation: z.literal(SEMANTIC_UNIT),
  headline: given,
  priority,
});

/** There is one, so it has no number and no name. `audience` is what the change has to leave. */
const noticeSchema = z.strictObject({
  headline: stored,
  priority,
  audience: z.enum(["staff", "everyone"]),
});

const envelopeSchema = z.strictObject({
  code: z.literal(200),
  status: z.literal("ok"),
  response_id: z.literal("SUCCESS"),
  message: z.string(),
  data: z.unknown(),
});

const identitySchema = z.strictObject({ singleton: z.literal("notice") });

export type NoticeIntent = z.infer<typeof intentSchema>;
export type Notice = z.infer<typeof noticeSchema>;
export type NoticeIdentity = z.infer<typeof identitySchema>;

export const IDENTITY: NoticeIdentity = { singleton: "notice" };

const parse =
  <T>(schema: z.ZodMiniType<T>) =>
  (value: unknown, code: AdapterErrorCode): T => {
    const parsed = schema.safeParse(value);
    if (!parsed.success) throw new AdapterError(code);
    return parsed.data;
  };

export const parseNoticeIntent = parse(intentSchema);
export const parseNotice = parse(noticeSchema);
export const parseIdentity = parse(identitySchema);

/** The notice in an answer. @throws AdapterError ANSWER_INVALID */
export const noticeOf = (body: unknown): Notice =>
  parseNotice(parse(envelopeSchema)(body, "ANSWER_INVALID").data, "ANSWER_INVALID");
