import * as z from "zod/mini";
import english from "zod/v4/locales/en.js";
import { MAX_COPIES, MAX_FAULT_BYTES, MAX_FAULTS, MAX_NTH, MAX_WAIT_MS } from "./limits.js";
import { type Fault, PHASES } from "./model.js";

// The small build of zod has no messages unless it is given some.
z.config(english());

const amount = (max: number) => {
  const whole = z.int().check(z.minimum(0), z.maximum(max));
  const range = z
    .strictObject({ min: whole, max: whole })
    .check(z.refine(({ min, max: top }) => min <= top, "min is more than max"));
  return z.union([whole, range]);
};

const bytes = amount(MAX_FAULT_BYTES);
const ms = amount(MAX_WAIT_MS);
const direction = z.enum(["request", "response"]);

const fault: z.ZodMiniType<Fault> = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("pass") }),
  z.strictObject({ kind: z.literal("reset-before") }),
  z.strictObject({ kind: z.literal("reset-upload"), afterBytes: bytes }),
  z.strictObject({
    kind: z.literal("drop-response"),
    ending: z.exactOptional(z.enum(["reset", "silence"])),
  }),
  z.strictObject({ kind: z.literal("truncate-response"), afterBytes: bytes }),
  z.strictObject({ kind: z.literal("delay"), direction, ms }),
  z.strictObject({ kind: z.literal("timeout"), direction, ms: z.exactOptional(ms) }),
  z.strictObject({
    kind: z.literal("duplicate"),
    copies: z.exactOptional(z.int().check(z.minimum(2), z.maximum(MAX_COPIES))),
  }),
]);

/** What arms a proxy, from outside. */
export const armingShape = z.strictObject({
  phase: z.enum(PHASES),
  nth: z.int().check(z.minimum(1), z.maximum(MAX_NTH)),
  faults: z.array(fault).check(z.minLength(1), z.maxLength(MAX_FAULTS)),
  seed: z.int().check(z.minimum(0), z.maximum(2 ** 32 - 1)),
});
