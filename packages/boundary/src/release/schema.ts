import * as z from "zod/mini";
import english from "zod/v4/locales/en.js";
import { ARTIFACT_KINDS } from "./model.js";

// The small build of zod has no messages unless it is given some.
z.config(english());

export const RELEASE_SCHEMA = "aptl.appliance-release/v1";
export const SIGNATURE_SCHEMA = "aptl.appliance-signature/v1";

const digest = z
  .string()
  .check(z.regex(/^sha256:[0-9a-f]{64}$/, "is no digest: sha256: and 64 lower-case hex digits"));

const identifier = z.string().check(z.regex(/^[a-z0-9][a-z0-9._-]{0,127}$/, "is no lower-case id"));

const image = z
  .string()
  .check(
    z.regex(
      /^[a-z0-9][a-z0-9._/:~-]{0,254}@sha256:[0-9a-f]{64}$/,
      "isn't pinned: write name@sha256:…",
    ),
  );

/** Relative, and the same path to everybody: no empty, `.` or `..` segment and no backslash. */
const path = z
  .string()
  .check(
    z.maxLength(1_024),
    z.regex(
      /^(?!.*(?:^|\/)\.{1,2}(?:\/|$))[A-Za-z0-9._-]+(?:\/[A-Za-z0-9._-]+)*$/,
      "is no plain relative path",
    ),
  );

export const artifactSchema = z.strictObject({
  artifact_id: identifier,
  kind: z.enum(ARTIFACT_KINDS),
  path,
  sha256: digest,
  size_bytes: z.int().check(z.minimum(1)),
});

/** Signed, and of no concern to a boundary: how the guest was built, delivered and drilled. */
const elsewhere = z.optional(z.unknown());

export const releaseSchema = z.strictObject({
  schema_version: z.literal(RELEASE_SCHEMA),
  release_id: identifier,
  artifacts: z
    .array(artifactSchema)
    .check(z.minLength(ARTIFACT_KINDS.length), z.maxLength(ARTIFACT_KINDS.length)),
  payload_digest: digest,
  participant: z.strictObject({
    profile_id: identifier,
    profile_version: z.int().check(z.minimum(1)),
    profile_manifest_digest: digest,
    readiness_suite_digest: digest,
    asset_lock_digest: digest,
    qualification_report_digest: digest,
  }),
  boundary: z.strictObject({
    policy_digest: digest,
    boundary_helper_image: image,
    egress_proxy_image: image,
  }),
  source: elsewhere,
  guest: elsewhere,
  host_prerequisites: elsewhere,
  delivery: elsewhere,
  qualification: elsewhere,
  upgrade_strategy: elsewhere,
});

export type ReleaseDocument = z.output<typeof releaseSchema>;
export type ArtifactDocument = z.output<typeof artifactSchema>;

export const signatureSchema = z.strictObject({
  schema_version: z.literal(SIGNATURE_SCHEMA),
  algorithm: z.literal("ed25519"),
  key_id: digest,
  manifest_digest: digest,
  /** Standard base64 of 64 bytes: RFC 4648 4, whose last character before the padding has no spare bits. */
  signature: z.string().check(z.regex(/^[A-Za-z0-9+/]{85}[AQgw]==$/, "is no Ed25519 signature")),
});

/** JSON Schema 2020-12 of `aptl.appliance-release/v1`, as far as a boundary reads it. */
export const releaseJsonSchema = (): Readonly<Record<string, unknown>> =>
  z.toJSONSchema(releaseSchema, { target: "draft-2020-12", io: "input" });

/** And of `aptl.appliance-signature/v1`. */
export const signatureJsonSchema = (): Readonly<Record<string, unknown>> =>
  z.toJSONSchema(signatureSchema, { target: "draft-2020-12", io: "input" });
