import * as z from "zod/mini";
import english from "zod/v4/locales/en.js";
import { parseAuthority } from "../authority/parse.js";
import { REASONS } from "../decision/index.js";
import { LIMIT_RANGES } from "./limits.js";
import type { EgressLimits } from "./model.js";
import { isCanonicalIp, MAX_RESOLVERS } from "./resolvers.js";

// The small build of zod has no messages unless it is given some.
z.config(english());

export const POLICY_SCHEMA = "drydock.egress/v1";

/** Far more than anybody can review; the look-up in `decide` is linear. */
const MAX_AUTHORITIES = 256;
const MAX_RULES = 64;
const MAX_METHODS = 16;
const MAX_PATH_LENGTH = 2_048;

const LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
const NAME_PATTERN = `^(?:${LABEL}\\.)+${LABEL}$`;
/** One line that a person reads: no control, format or separator characters but the space. */
export const PURPOSE_PATTERN = /^[^\p{C}\p{Z}][^\p{C}\p{Zl}\p{Zp}]{0,79}$/u;
/** RFC 9110 §9.1, upper case by convention. CONNECT makes tunnels, TRACE returns what it is sent. */
const METHOD_PATTERN = /^(?!(?:CONNECT|TRACE)$)[A-Z][A-Z-]{0,31}$/;
/** RFC 3986 §3.3 path-absolute, without the asterisk, which would be taken for a wildcard. */
const PATH_PATTERN = /^\/(?:[A-Za-z0-9._~!$&'()+,;=:@/-]|%[0-9A-F]{2})*$/;

/** Exactly as `parseAuthority` gives it: who reviews a policy shouldn't have to fold spellings. */
const name = z
  .string()
  .check(z.meta({ pattern: NAME_PATTERN, maxLength: 253 }), ({ value, issues }) => {
    const parsed = parseAuthority(`${value}:1`);
    if (parsed.kind === "authority" && parsed.authority.host === value) return;
    const message =
      parsed.kind === "refused"
        ? `${parsed.reason}: ${REASONS[parsed.reason].doc} Write an exact DNS name such as api.example.com`
        : `write it as "${parsed.authority.host}"`;
    issues.push({ code: "custom", message, input: value });
  });

const port = z.int().check(z.minimum(1), z.maximum(65_535));

const path = z.string().check(
  z.maxLength(MAX_PATH_LENGTH),
  z.regex(PATH_PATTERN, "is no absolute path; for everything below a path, end it with /"),
  z.refine(
    (text) => !/\/(?:\/|\.{1,2}(?:\/|$))/.test(text),
    "has empty or dot segments, which servers resolve in different ways",
  ),
);

const rule = z.strictObject({
  methods: z
    .array(z.string().check(z.regex(METHOD_PATTERN, "is not a method such as GET")))
    .check(z.minLength(1), z.maxLength(MAX_METHODS)),
  path: path.check(z.describe("An exact path, or a prefix that ends in /; never decoded.")),
});

const authority = z
  .strictObject({
    name: name.check(z.describe("Exact DNS name of two or more labels, lower case.")),
    port,
    protocol: z.enum(["tls", "tcp-opaque", "http"]),
    purpose: z
      .string()
      .check(
        z.regex(PURPOSE_PATTERN, "must be one line of 1 to 80 characters"),
        z.describe("What it is for, to whom it may concern."),
      ),
    allowEch: z
      ._default(z.boolean(), false)
      .check(z.describe("Accept an encrypted ClientHello, whose inner name nobody here sees.")),
    terminate: z
      ._default(z.boolean(), false)
      .check(z.describe("End TLS in the broker, with the run's own CA.")),
    requests: z
      ._default(z.nullable(z.array(rule).check(z.minLength(1), z.maxLength(MAX_RULES))), null)
      .check(z.describe("Methods and paths; null for any. Needs http or terminate.")),
  })
  .check(({ value, issues }) => {
    const refuse = (key: string, message: string): void => {
      issues.push({ code: "custom", message, input: value, path: [key] });
    };
    const { protocol, allowEch, terminate, requests } = value;
    if (allowEch && protocol !== "tls") refuse("allowEch", "only protocol tls has a ClientHello");
    if (terminate && protocol !== "tls") refuse("terminate", "only protocol tls can be terminated");
    if (requests !== null && protocol !== "http" && !terminate)
      refuse("requests", "nobody sees requests here: use protocol http, or tls with terminate");
  });

const resolver = z.strictObject({
  address: z
    .string()
    .check(
      z.meta({ pattern: "^[0-9a-f.:]+$", maxLength: 45 }),
      z.refine(isCanonicalIp, "is not an IP address in its canonical spelling (RFC 5952)"),
    ),
  port: z._default(port, 53),
});

type LimitName = keyof EgressLimits;

const limit = (key: LimitName) => {
  const { min, max, doc } = LIMIT_RANGES[key];
  return z.int().check(z.minimum(min), z.maximum(max), z.describe(doc));
};

/** All of them by name, so that a new limit can't be forgotten. */
const eachLimit = <T>(make: (key: LimitName) => T): Readonly<Record<LimitName, T>> => ({
  maxConnections: make("maxConnections"),
  maxHeaderBytes: make("maxHeaderBytes"),
  headerTimeoutMs: make("headerTimeoutMs"),
  dnsTimeoutMs: make("dnsTimeoutMs"),
  maxAnswerAgeMs: make("maxAnswerAgeMs"),
  connectTimeoutMs: make("connectTimeoutMs"),
  helloTimeoutMs: make("helloTimeoutMs"),
  idleTimeoutMs: make("idleTimeoutMs"),
  lifetimeMs: make("lifetimeMs"),
  maxBytesUp: make("maxBytesUp"),
  maxBytesDown: make("maxBytesDown"),
});

export const DEFAULT_LIMITS: EgressLimits = eachLimit((key) => LIMIT_RANGES[key].default);

const requiredLimits = z.strictObject(eachLimit(limit));
const defaultedLimits = z._default(
  z.strictObject(eachLimit((key) => z._default(limit(key), LIMIT_RANGES[key].default))),
  DEFAULT_LIMITS,
);

const repeats = <T>(items: readonly T[], keyOf: (item: T) => string): readonly number[] =>
  items.flatMap((item, index) =>
    items.findIndex((other) => keyOf(other) === keyOf(item)) < index ? [index] : [],
  );

const policyWith = <L extends z.ZodMiniType<EgressLimits>>(limits: L) =>
  z
    .strictObject({
      schema: z.literal(POLICY_SCHEMA),
      authorities: z.array(authority).check(z.minLength(1), z.maxLength(MAX_AUTHORITIES)),
      resolvers: z
        .array(resolver)
        .check(
          z.minLength(1),
          z.maxLength(MAX_RESOLVERS),
          z.describe("Name servers, asked in this order; the host's own settings aren't used."),
        ),
      limits,
    })
    .check(({ value, issues }) => {
      const refuse = (key: string, index: number, message: string): void => {
        issues.push({ code: "custom", message, input: value, path: [key, index] });
      };
      const authorityOf = (item: { readonly name: string; readonly port: number }): string =>
        `${item.name}:${item.port}`;
      for (const index of repeats(value.authorities, authorityOf))
        refuse("authorities", index, "grants a name and port that are granted above");
      for (const index of repeats(value.resolvers, (item) => `${item.address} ${item.port}`))
        refuse("resolvers", index, "names a resolver that is named above");
    });

/** What a person writes. */
export const policySchema = policyWith(defaultedLimits);
/** What a key may vouch for: no number is left to the version of Drydock that reads it. */
export const signedPolicySchema = policyWith(requiredLimits);

export type PolicyInput = z.input<typeof policySchema>;
/** With every default written out. */
export type PolicyDocument = z.output<typeof policySchema>;

/** JSON Schema 2020-12 of an unsigned policy, as a person writes it. */
export const egressPolicyJsonSchema = (): Readonly<Record<string, unknown>> =>
  z.toJSONSchema(policySchema, { target: "draft-2020-12", io: "input" });

/** The same for a policy that is to be signed. */
export const signedEgressPolicyJsonSchema = (): Readonly<Record<string, unknown>> =>
  z.toJSONSchema(signedPolicySchema, { target: "draft-2020-12", io: "input" });
