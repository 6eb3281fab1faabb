import * as z from "zod/mini";
import english from "zod/v4/locales/en.js";

// The small build of zod has no messages unless it is given some.
z.config(english());

export const PLATFORM_SCHEMA = "drydock.platform/v1";

/** Interpreter, script and a page of arguments; the engine bounds the bytes. */
const MAX_ARGUMENTS = 64;
const MAX_PUBLICATIONS = 16;
/** A policy, its release, two keys and a receipt are half of it. */
const MAX_MOUNTS = 16;
/** PATH_MAX, with room for the directory that sources are in. */
const MAX_PATH = 1_024;

const port = z.int().check(z.minimum(1), z.maximum(65_535));
const addressText = z.string().check(z.maxLength(18));

const network = z.strictObject({ cidr: addressText, gateway: addressText });

const places = z
  .strictObject({
    participant: z.optional(addressText),
    management: z.optional(addressText),
    egress: z.optional(addressText),
  })
  .check(z.describe("Its address on each platform network that it is on."));

const publication = z.strictObject({
  address: addressText.check(z.describe("Loopback.")),
  port,
  protocol: z.enum(["tcp", "udp"]),
  target: port.check(z.describe("Of the container.")),
});

const path = z.string().check(z.minLength(1), z.maxLength(MAX_PATH));

const mount = z.strictObject({
  source: path.check(z.describe("Below the directory that apply is given with --mounts.")),
  target: path.check(z.describe("Absolute, in the container, where it is read-only.")),
});

const anchor = z.strictObject({
  image: z
    .string()
    .check(z.regex(/^[a-z0-9][a-z0-9._/:-]{0,254}@sha256:[0-9a-f]{64}$/, "isn't name@sha256:…")),
  command: z.optional(
    z.array(z.string().check(z.maxLength(4_096))).check(z.minLength(1), z.maxLength(MAX_ARGUMENTS)),
  ),
  addresses: places,
  publications: z.optional(z.array(publication).check(z.maxLength(MAX_PUBLICATIONS))),
  mounts: z.optional(z.array(mount).check(z.maxLength(MAX_MOUNTS))),
});

/** What the platform's own networks and services are made of; whom it lets talk is the policy's. */
export const platformSchema = z.strictObject({
  schema: z.literal(PLATFORM_SCHEMA),
  networks: z.strictObject({ participant: network, management: network, egress: network }),
  anchors: z.strictObject({ participant: anchor, management: anchor, egress: anchor }),
});

/** JSON Schema 2020-12 of `drydock.platform/v1`. */
export const platformJsonSchema = (): Readonly<Record<string, unknown>> =>
  z.toJSONSchema(platformSchema, { target: "draft-2020-12", io: "input" });
