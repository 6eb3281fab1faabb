import * as z from "zod/mini";
import english from "zod/v4/locales/en.js";
import { contains, parseCidr, parseIpv4 } from "../model/index.js";
import {
  DEFAULT_FRESHNESS_SECONDS,
  MAX_AUTHORITIES,
  MAX_CROSSING_PORTS,
  MAX_CROSSINGS,
  MAX_FRESHNESS_SECONDS,
  MAX_HOLDERS,
  MAX_PUBLICATIONS,
  MAX_RESOLVERS,
  TIME_PORTS,
} from "./bounds.js";
import { readDnsName } from "./dns-name.js";
import { SELECTOR_PATTERN } from "./selector.js";

// The small build of zod has no messages unless it is given some.
z.config(english());

/** With internal zones. The second version has none of them: its bytes are another promise. */
export const POLICY_SCHEMA = "aptl.appliance-boundary/v1";

/** ADR-059's: the one contract that there is. */
export const HOST_MCP_CONTRACT = "aptl.restricted-ssh-mcp/v1";

/** One line that a person reads: no control, format or separator characters but the space. */
const PURPOSE_PATTERN = /^[^\p{C}\p{Z}][^\p{C}\p{Zl}\p{Zp}]{0,79}$/u;

const purpose = z
  .string()
  .check(z.regex(PURPOSE_PATTERN, "must be one line of 1 to 80 characters"));

const port = z.int().check(z.minimum(1), z.maximum(65_535));

const selector = z
  .string()
  .check(z.regex(SELECTOR_PATTERN, "is no exact label: write key=value, as Docker has it"));

const zones = z.strictObject({ participant: selector, management: selector, egress: selector });

const EXPRESSIBLE = "only participant to management and management to egress can be expressed";

const crossing = <S extends string, D extends string>(source: S, destination: D) =>
  z.strictObject({
    source: z.literal(source, EXPRESSIBLE),
    destination: z.literal(destination, EXPRESSIBLE),
    protocol: z.enum(["tcp", "udp"]),
    ports: z.array(port).check(
      z.minLength(1),
      z.maxLength(MAX_CROSSING_PORTS),
      z.meta({ uniqueItems: true }),
      z.refine((all) => new Set(all).size === all.length, "names a port twice"),
    ),
    purpose,
  });

const authority = z.strictObject({
  source: z.literal("egress"),
  authority: z.string().check(
    z.meta({ maxLength: 254 }),
    z.refine((text) => readDnsName(text) !== null, "is no exact DNS name such as api.example.com"),
  ),
  protocol: z.literal("tcp"),
  port: port.check(
    z.meta({ not: { enum: TIME_PORTS } }),
    z.refine((given) => !TIME_PORTS.includes(given), "is a time service's"),
  ),
  purpose,
  resolution: z.literal("proxy-resolved-all-global"),
  failure_disposition: z.literal("deny"),
});

const bounded = (min: number, max: number) => z.int().check(z.minimum(min), z.maximum(max));

/** None has a default: a bound that nobody signed is none. */
const limits = z.strictObject({
  max_connections: bounded(1, 256),
  max_header_bytes: bounded(1_024, 16_384),
  header_timeout_seconds: bounded(1, 30),
  connect_timeout_seconds: bounded(1, 60),
  idle_timeout_seconds: bounded(5, 600),
});

const inBlock = (text: string, blocks: readonly string[]): boolean => {
  const address = parseIpv4(text);
  return (
    address !== null &&
    blocks.some((block) => {
      const cidr = parseCidr(block);
      return cidr !== null && contains(cidr, address);
    })
  );
};

const ADDRESS_META = { pattern: "^[0-9.]+$", maxLength: 15 };

const publication = z.strictObject({
  audience: z.enum(["participant", "recovery", "host-mcp"]),
  address: z.string().check(
    z.meta(ADDRESS_META),
    z.refine((text) => inBlock(text, ["127.0.0.0/8"]), "is no IPv4 loopback address"),
  ),
  port,
  protocol: z.enum(["tcp", "udp"]),
});

/** A name server elsewhere: neither this host nor a group nor nobody. */
const NO_RESOLVERS = ["0.0.0.0/8", "127.0.0.0/8", "224.0.0.0/4", "240.0.0.0/4"];

const resolver = z.string().check(
  z.meta(ADDRESS_META),
  z.refine(
    (text) => parseIpv4(text) !== null && !inBlock(text, NO_RESOLVERS),
    "is no IPv4 address of a name server",
  ),
);

export const appliancePolicySchema = z.strictObject({
  schema_version: z.literal(POLICY_SCHEMA),
  policy_id: z.string().check(z.regex(/^[a-z0-9][a-z0-9._-]{0,79}$/, "is no lower-case id")),
  generation: z.int().check(z.minimum(1)),
  workbench_policy_version: z
    .string()
    .check(z.regex(/^[a-z0-9][a-z0-9._/-]{0,127}$/, "is no version such as name/v1")),
  default_deny: z.literal(true),
  platform_networks: zones,
  platform_anchors: zones,
  fixed_crossings: z
    .array(z.union([crossing("participant", "management"), crossing("management", "egress")]))
    .check(z.maxLength(MAX_CROSSINGS)),
  egress_authorities: z.array(authority).check(z.maxLength(MAX_AUTHORITIES)),
  egress_proxy_limits: limits,
  guest_publications: z.array(publication).check(z.maxLength(MAX_PUBLICATIONS)),
  host_mcp_contract: z.nullable(z.literal(HOST_MCP_CONTRACT)),
  docker_authority: z.strictObject({
    allowed_holder_labels: z.array(selector).check(
      z.maxLength(MAX_HOLDERS),
      z.meta({ uniqueItems: true }),
      z.refine((all) => new Set(all).size === all.length, "names a label twice"),
    ),
    require_guest_daemon: z.literal(true),
  }),
  egress_resolvers: z._default(
    z.array(resolver).check(
      z.maxLength(MAX_RESOLVERS),
      z.meta({ uniqueItems: true }),
      z.refine((all) => new Set(all).size === all.length, "names a resolver twice"),
      z.describe("Ours: whom the broker asks, port 53; nobody else can."),
    ),
    [],
  ),
  observation_freshness_seconds: z
    ._default(bounded(1, MAX_FRESHNESS_SECONDS), DEFAULT_FRESHNESS_SECONDS)
    .check(z.describe("Ours: an outer-host observation that is older is stale.")),
  allow_host_network: z
    ._default(z.boolean(), false)
    .check(z.describe("Ours: the boundary may stand in the network namespace of PID 1.")),
});

export type PolicyDocument = z.output<typeof appliancePolicySchema>;
export type PolicyInput = z.input<typeof appliancePolicySchema>;

/** JSON Schema 2020-12 of `aptl.appliance-boundary/v1`. */
export const appliancePolicyJsonSchema = (): Readonly<Record<string, unknown>> =>
  z.toJSONSchema(appliancePolicySchema, { target: "draft-2020-12", io: "input" });
