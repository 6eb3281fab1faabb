import * as z from "zod/mini";
import english from "zod/v4/locales/en.js";
import { parseAuthority } from "../authority/parse.js";
import { REASONS } from "../decision/index.js";
import { isCanonicalIp, MAX_RESOLVERS } from "./resolvers.js";
import { PURPOSE_PATTERN } from "./schema.js";

z.config(english());

/** Of the version with internal zones; its second version carries no authorities at all. */
export const APPLIANCE_SCHEMA = "aptl.appliance-boundary/v1";

const MAX_AUTHORITIES = 256;

/**
 * Daytime, time, NTP and NTS key establishment (RFC 867, 868, 5905, 8915). An appliance takes its
 * time from its own lifecycle; a time service would need a policy and an enforcement of its own
 * kind, not a port.
 */
const TIME_PORTS: readonly number[] = [13, 37, 123, 4460];

/** A part of the appliance's policy that says nothing about egress; the boundary's reader judges it. */
const elsewhere = z.optional(z.unknown());

const authority = z.strictObject({
  source: z.literal("egress"),
  authority: z.string().check(z.meta({ maxLength: 254 }), ({ value, issues }) => {
    const parsed = parseAuthority(`${value}:1`);
    if (parsed.kind === "authority") return;
    const message = `${parsed.reason}: ${REASONS[parsed.reason].doc}`;
    issues.push({ code: "custom", message, input: value });
  }),
  protocol: z.literal("tcp"),
  port: z.int().check(
    z.minimum(1),
    z.maximum(65_535),
    z.meta({ not: { enum: TIME_PORTS } }),
    z.refine((port) => !TIME_PORTS.includes(port), "is a time service's"),
  ),
  purpose: z.string().check(z.regex(PURPOSE_PATTERN, "must be one line of 1 to 80 characters")),
  resolution: z.literal("proxy-resolved-all-global"),
  failure_disposition: z.literal("deny"),
});

const bounded = (min: number, max: number) => z.int().check(z.minimum(min), z.maximum(max));

/** As the boundary reads them. */
const DEFAULT_FRESHNESS_SECONDS = 5;
const MAX_FRESHNESS_SECONDS = 3_600;

const resolver = z
  .string()
  .check(
    z.refine(
      (text) => isCanonicalIp(text) && !text.includes(":"),
      "is no IPv4 address in its one spelling",
    ),
  );

/** None has a default: a bound that nobody signed is none. */
const limits = z.strictObject({
  max_connections: bounded(1, 256),
  max_header_bytes: bounded(1_024, 16_384),
  header_timeout_seconds: bounded(1, 30),
  connect_timeout_seconds: bounded(1, 60),
  idle_timeout_seconds: bounded(5, 600),
});

/** What of a signed appliance policy concerns the broker; unknown keys are refused all the same. */
export const applianceSchema = z
  .strictObject({
    schema_version: z.literal(APPLIANCE_SCHEMA),
    policy_id: z.string().check(z.regex(/^[a-z0-9][a-z0-9._-]{0,79}$/, "is no lower-case id")),
    generation: z.int().check(z.minimum(1)),
    default_deny: z.literal(true),
    egress_authorities: z.array(authority).check(z.minLength(1), z.maxLength(MAX_AUTHORITIES)),
    egress_proxy_limits: limits,
    workbench_policy_version: elsewhere,
    platform_networks: elsewhere,
    platform_anchors: elsewhere,
    fixed_crossings: elsewhere,
    guest_publications: elsewhere,
    host_mcp_contract: elsewhere,
    docker_authority: elsewhere,
    // Not in the format's first edition.
    egress_resolvers: z._default(
      z.array(resolver).check(
        z.maxLength(MAX_RESOLVERS),
        z.refine((all) => new Set(all).size === all.length, "names a resolver twice"),
      ),
      [],
    ),
    observation_freshness_seconds: z._default(
      bounded(1, MAX_FRESHNESS_SECONDS),
      DEFAULT_FRESHNESS_SECONDS,
    ),
    allow_host_network: elsewhere,
  })
  .check(({ value, issues }) => {
    const seen = new Set<string>();
    for (const [index, { authority: name, port }] of value.egress_authorities.entries()) {
      const key = `${canonicalName(name)}:${port}`;
      if (seen.has(key)) {
        const message = "grants an authority and port that are granted above";
        issues.push({ code: "custom", message, input: value, path: ["egress_authorities", index] });
      }
      seen.add(key);
    }
  });

export type AppliancePolicy = z.output<typeof applianceSchema>;

/** For a name that the schema accepted. */
export const canonicalName = (name: string): string => {
  const parsed = parseAuthority(`${name}:1`);
  return parsed.kind === "authority" ? parsed.authority.host : name;
};

/** JSON Schema 2020-12 of the same. */
export const applianceJsonSchema = (): Readonly<Record<string, unknown>> =>
  z.toJSONSchema(applianceSchema, { target: "draft-2020-12", io: "input" });
