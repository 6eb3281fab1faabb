import * as z from "zod/mini";

const endpoint = z.strictObject({
  host: z.string().check(z.regex(/^[0-9.]{7,15}$/)),
  port: z.int().check(z.minimum(0), z.maximum(65_535)),
});
const protocol = z.enum(["tcp", "udp"]);

/** What is asked of a prober, one JSON line each. */
export const askSchema = z.discriminatedUnion("ask", [
  /** See to it that somebody answers there, and show it from within. */
  z.strictObject({ id: z.int(), ask: z.literal("serve"), protocol, on: endpoint }),
  z.strictObject({
    id: z.int(),
    ask: z.literal("try"),
    protocol,
    from: endpoint,
    to: endpoint,
    timeoutMs: z.int(),
  }),
]);
export type Ask = z.infer<typeof askSchema>;
export type Endpoint = z.infer<typeof endpoint>;

/**
 * `reached`: an answer came. `refused`: somebody said that nothing is there, and thus was reached.
 * `silent`: nothing came, or the way there doesn't exist. `taken`: somebody holds the port and
 * doesn't answer. `unsendable`: nothing was tried, so nothing is shown.
 */
export const OUTCOMES = ["reached", "refused", "silent", "taken", "unsendable"] as const;
export type Outcome = (typeof OUTCOMES)[number];

export const answerSchema = z.strictObject({ id: z.int(), outcome: z.enum(OUTCOMES) });
