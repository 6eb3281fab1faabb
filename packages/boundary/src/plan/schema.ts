import * as z from "zod/mini";
import english from "zod/v4/locales/en.js";
import {
  MAX_ARGUMENT_LENGTH,
  MAX_COMMAND_ARGUMENTS,
  MAX_LINKS,
  MAX_NETWORKS,
  MAX_NODES,
  MAX_PORTS,
  MAX_RULES,
} from "./bounds.js";
import { IMAGE_PATTERN, NAME_PATTERN, RULE_NAME_PATTERN } from "./names.js";

// The small build of zod has no messages unless it is given some.
z.config(english());

export const PLAN_SCHEMA = "drydock.plan/v1";

const name = z
  .string()
  .check(z.regex(NAME_PATTERN, "is no name: up to 48 of a-z, 0-9, - and _, not - or _ first"));

/** What it means is looked up when all names are known. */
const reference = z.string().check(z.minLength(1), z.maxLength(128));
const addressText = z.string().check(z.maxLength(45));

const ports = z.array(z.int().check(z.minimum(1), z.maximum(65_535))).check(
  z.minLength(1, "is empty: leave ports out for all of them"),
  z.maxLength(MAX_PORTS),
  z.meta({ uniqueItems: true }),
  z.refine((all) => new Set(all).size === all.length, "names a port twice"),
);

export const aclSchema = z.strictObject({
  name: z.optional(
    z
      .string()
      .check(
        z.regex(RULE_NAME_PATTERN, "is no name: up to 48 of A-Z, a-z, 0-9, dot, - and _"),
        z.describe("Unique for its owner; acl-<position> where there is none."),
      ),
  ),
  direction: z._default(z.enum(["in", "out", "inout"]), "inout"),
  from_net: z.optional(reference.check(z.describe("A network; left out: any."))),
  to_net: z.optional(reference.check(z.describe("A network; left out: any."))),
  protocol: z._default(z.enum(["any", "tcp", "udp", "icmp"]), "any"),
  ports: z.optional(ports.check(z.describe("Destination ports, with tcp or udp."))),
  action: z.enum(["allow", "deny"]),
});

const acls = z.optional(
  z.array(aclSchema).check(z.maxLength(MAX_RULES), z.describe("The first that matches decides.")),
);

/** RAES's; one of each is all that a name can stand for. */
const count = z.optional(z.literal(1));

export const blockSchema = z.strictObject({
  cidr: addressText.check(z.describe("Such as 10.60.1.0/24.")),
  gateway: addressText,
  internal: z.optional(
    z
      .boolean()
      .check(z.describe("Changes nothing: no scenario network has a way to the Internet.")),
  ),
});

export const switchSchema = z.strictObject({ count, properties: blockSchema, acls });

const place = z.record(reference, addressText).check(
  z.meta({ minProperties: 1, maxProperties: 1 }),
  z.refine((one) => Object.keys(one).length === 1, "isn't one network and the address on it"),
);

export const machineSchema = z.strictObject({
  count,
  links: z.array(reference).check(
    z.minLength(1),
    z.maxLength(MAX_LINKS),
    z.meta({ uniqueItems: true }),
    z.refine((all) => new Set(all).size === all.length, "names a network twice"),
    z.describe("Networks; the first one's gateway is the default route."),
  ),
  properties: z.array(place).check(z.minLength(1), z.maxLength(MAX_LINKS)),
  acls,
});

export const imageSchema = z
  .string()
  .check(z.maxLength(320), z.regex(IMAGE_PATTERN, "isn't pinned: write name@sha256:…"));

export const commandSchema = z
  .array(z.string().check(z.maxLength(MAX_ARGUMENT_LENGTH)))
  .check(z.minLength(1), z.maxLength(MAX_COMMAND_ARGUMENTS));

const node = z.union([
  z.strictObject({ type: z.literal("Switch") }),
  z.strictObject({
    type: z.literal("VM"),
    image: z.optional(imageSchema),
    command: z.optional(commandSchema),
  }),
]);

const MAX_ENTRIES = MAX_NETWORKS + MAX_NODES;

const entries = <T extends z.ZodMiniType>(item: T) =>
  z.record(name, item).check(
    z.meta({ minProperties: 1, maxProperties: MAX_ENTRIES }),
    z.refine((all) => {
      const { length } = Object.keys(all);
      return length >= 1 && length <= MAX_ENTRIES;
    }, `has to have 1 to ${MAX_ENTRIES} entries`),
  );

export const defaultSchema = z
  .enum(["allow", "deny"])
  .check(z.describe("For what no owner's rules speak of. Has none itself: it is chosen."));

/** As an author writes it. */
export const authoredSchema = z.strictObject({
  schema: z.literal(PLAN_SCHEMA),
  default: defaultSchema,
  nodes: entries(node),
  infrastructure: entries(z.union([switchSchema, machineSchema])),
});

export type AuthoredPlan = z.output<typeof authoredSchema>;
export type AuthoredPlanInput = z.input<typeof authoredSchema>;
export type AuthoredSwitch = z.output<typeof switchSchema>;
export type AuthoredMachine = z.output<typeof machineSchema>;
