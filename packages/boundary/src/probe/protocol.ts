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
  /** Ask a broker for a tunnel to an authority, `host:port`. */
  z.strictObject({
    id: z.int(),
    ask: z.literal("tunnel"),
    broker: endpoint,
    authority: z.string().check(z.regex(/^[a-z0-9.-]{1,253}:[0-9]{1,5}$/)),
    timeoutMs: z.int(),
  }),
  /** Ask a name server for the IPv4 addresses of a name. */
  z.strictObject({
    id: z.int(),
    ask: z.literal("lookup"),
    at: endpoint,
    name: z.string().check(z.regex(/^[a-z0-9.-]{1,253}$/)),
    timeoutMs: z.int(),
  }),
]);
export type Ask = z.infer<typeof askSchema>;
export type Endpoint = z.infer<typeof endpoint>;

/**
 * `reached`: an answer came. `refused`: somebody said that nothing is there, and thus was reached;
 * of a tunnel: the broker didn't make one.
 * `silent`: nothing came, or the way there doesn't exist. `taken`: somebody holds the port and
 * doesn't answer. `unsendable`: nothing was tried, so nothing is shown.
 */
export const OUTCOMES = ["reached", "refused", "silent", "taken", "unsendable"] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** More addresses of one name, or a longer reason, are nobody's. */
const said = z
  .array(z.string().check(z.regex(/^(?:[A-Z][A-Z0-9_]{0,63}|[0-9.]{7,15})$/)))
  .check(z.maxLength(64));

export const answerSchema = z.strictObject({
  id: z.int(),
  outcome: z.enum(OUTCOMES),
  /** A broker's reason; a name's addresses. */
  said,
});
export type Answer = Omit<z.infer<typeof answerSchema>, "id">;
