import * as z from "zod/mini";
import english from "zod/v4/locales/en.js";
import type { Effect, ToxicAttributes, ToxicType } from "../stream/toxics/index.js";
import { badBody } from "./error.js";
import { MAX_BYTES, MAX_MS, MAX_NAME_LENGTH, MAX_PROXIES, MAX_RATE } from "./limits.js";

// The small build of zod has no messages unless it is given some.
z.config(english());

const name = z.string().check(z.maxLength(MAX_NAME_LENGTH));

/**
 * A proxy as clients send it. `toxics` is what they were last told, and as in Toxiproxy isn't
 * looked at.
 */
const proxy = z.strictObject({
  name: z.nullish(name),
  listen: z.nullish(name),
  upstream: z.nullish(name),
  enabled: z.nullish(z.boolean()),
  toxics: z.nullish(z.array(z.unknown())),
});
export type ProxyInput = z.infer<typeof proxy>;
export const proxiesShape = z.array(proxy).check(z.maxLength(MAX_PROXIES));

const toxicity = z.number().check(z.minimum(0), z.maximum(1));
const toxic = z.strictObject({
  name: z.nullish(name),
  type: z.nullish(name),
  stream: z.nullish(name),
  toxicity: z.nullish(toxicity),
  attributes: z.nullish(z.record(z.string(), z.unknown())),
});
export type ToxicInput = z.infer<typeof toxic>;

const whole = (max: number) => z._default(z.int().check(z.minimum(0), z.maximum(max)), 0);

const ATTRIBUTES: { readonly [T in ToxicType]: z.ZodMiniType<ToxicAttributes[T]> } = {
  latency: z.strictObject({ latency: whole(MAX_MS), jitter: whole(MAX_MS) }),
  bandwidth: z.strictObject({ rate: whole(MAX_RATE) }),
  slow_close: z.strictObject({ delay: whole(MAX_MS) }),
  timeout: z.strictObject({ timeout: whole(MAX_MS) }),
  reset_peer: z.strictObject({ timeout: whole(MAX_MS) }),
  slicer: z
    .strictObject({
      // Toxiproxy would cut for ever at 0.
      average_size: z.int().check(z.minimum(1), z.maximum(MAX_BYTES)),
      size_variation: whole(MAX_BYTES),
      delay: whole(MAX_MS * 1000),
    })
    .check(
      z.refine(
        ({ average_size, size_variation }) => size_variation < average_size,
        "size_variation has to be smaller than average_size",
      ),
    ),
  limit_data: z.strictObject({ bytes: whole(MAX_BYTES) }),
};

export const isToxicType = (type: string): type is ToxicType => Object.hasOwn(ATTRIBUTES, type);

/** @throws ApiError 400, as the others here */
export const parseProxy = (body: unknown): ProxyInput => parse(proxy, body);
export const parseProxies = (body: unknown): readonly ProxyInput[] => parse(proxiesShape, body);
export const parseToxic = (body: unknown): ToxicInput => parse(toxic, body);

/** What isn't given is as before, or 0. */
export const parseEffect = (type: ToxicType, given: unknown, before: object = {}): Effect => {
  const attributes = parse<unknown>(ATTRIBUTES[type], { ...before, ...toObject(given) });
  // The table has of each type its own.
  return { type, attributes } as Effect;
};

const toObject = (given: unknown): object =>
  typeof given === "object" && given !== null ? given : {};

const parse = <T>(schema: z.ZodMiniType<T>, body: unknown): T => {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = issue?.path.map(String).join(".") ?? "";
  throw badBody(`${place === "" ? "" : `${place}: `}${issue?.message ?? "malformed"}`);
};
