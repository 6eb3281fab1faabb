import * as z from "zod/mini";
import { MAX_NETWORKS, MAX_NODES, MAX_PORTS, MAX_RULES } from "./bounds.js";
import {
  aclSchema,
  commandSchema,
  defaultSchema,
  imageSchema,
  machineSchema,
  PLAN_SCHEMA,
  switchSchema,
} from "./schema.js";

/** The planner's output: tokens in any case and with space around them, emptiness for any. */
const token = <const T extends string>(words: readonly [T, ...T[]]) =>
  z.pipe(
    z.pipe(
      z.string().check(z.maxLength(32)),
      z.transform((text) => text.trim().toLowerCase()),
    ),
    z.enum(words),
  );

const endpoint = z.optional(
  z.nullable(
    z.pipe(
      z.string().check(z.maxLength(128)),
      z.transform((text) => text.trim()),
    ),
  ),
);

const lenientAcl = z.strictObject({
  name: aclSchema.shape.name,
  direction: z._default(token(["in", "out", "inout"]), "inout"),
  from_net: endpoint,
  to_net: endpoint,
  protocol: z._default(token(["any", "tcp", "udp", "icmp"]), "any"),
  ports: z.optional(
    z.array(z.int().check(z.minimum(1), z.maximum(65_535))).check(
      z.maxLength(MAX_PORTS),
      z.meta({ uniqueItems: true }),
      z.refine((all) => new Set(all).size === all.length, "names a port twice"),
    ),
  ),
  action: token(["allow", "deny"]),
});

const acls = z.optional(z.array(lenientAcl).check(z.maxLength(MAX_RULES)));

const resource = <const T extends string, N extends z.ZodMiniType, I extends z.ZodMiniType>(
  type: T,
  node: N,
  infrastructure: I,
) =>
  z.strictObject({
    address: z.string().check(z.maxLength(128)),
    domain: z.literal("provisioning"),
    resource_type: z.literal(type),
    /** In which order the planner would make them; ours follows from the networks. */
    ordering_dependencies: z.optional(z.array(z.string())),
    refresh_dependencies: z.optional(z.array(z.string())),
    payload: z.strictObject({
      name: z.string().check(z.maxLength(128)),
      spec: z.strictObject({ node, infrastructure }),
    }),
  });

const network = resource(
  "network",
  z.strictObject({ type: token(["switch"]) }),
  z.strictObject({ ...switchSchema.shape, acls }),
);

const machine = resource(
  "node",
  z.strictObject({
    type: token(["vm"]),
    image: z.optional(imageSchema),
    command: z.optional(commandSchema),
  }),
  z.strictObject({ ...machineSchema.shape, acls }),
);

const MAX_ENTRIES = MAX_NETWORKS + MAX_NODES;

/** A RAES provisioning plan's resources, and beside them what RAES has no word for: the default. */
export const resourcesSchema = z.strictObject({
  schema: z.literal(PLAN_SCHEMA),
  default: defaultSchema,
  resources: z.record(z.string(), z.union([network, machine])).check(
    z.meta({ minProperties: 1, maxProperties: MAX_ENTRIES }),
    z.refine((all) => {
      const { length } = Object.keys(all);
      return length >= 1 && length <= MAX_ENTRIES;
    }, `has to have 1 to ${MAX_ENTRIES} entries`),
  ),
});

export type ResourcesPlan = z.output<typeof resourcesSchema>;
export type LenientAcl = z.output<typeof lenientAcl>;
