import { readUserFile } from "@drydock/document";
import { canonicalBytes } from "@drydock/evidence";
import * as z from "zod/mini";
import { type BoundPlatform, formatIpv4, parseIpv4 } from "../model/index.js";
import type { GateBinding } from "./request.js";

export const BINDING_SCHEMA = "drydock.boundary-binding/v1";

/** More than a policy may sign. */
const MAX_MAPPINGS = 64;

const digest = z
  .string()
  .check(z.regex(/^sha256:[0-9a-f]{64}$/, "is no digest: sha256: and 64 lower-case hex digits"));
const bootId = z.string().check(z.regex(/^[0-9a-f-]{36}$/, "is no boot id"));
const port = z.int().check(z.minimum(1), z.maximum(65_535));
const address = z.ipv4("is no IPv4 address");

const bindingShape = z.strictObject({
  schema: z.literal(BINDING_SCHEMA),
  launch: z.string().check(z.regex(/^[0-9a-f]{64}$/, "isn't 64 lower-case hex digits")),
  planDigest: digest,
  hostBootId: bootId,
  guestBootId: bootId,
  guestDaemonId: z.string().check(z.minLength(1), z.maxLength(128)),
  hostObservationId: z.nullable(digest),
  development: z.boolean(),
  mappings: z
    .array(
      z.strictObject({
        audience: z.enum(["participant", "recovery", "host-mcp"]),
        address,
        port,
        protocol: z.enum(["tcp", "udp"]),
        guest: z.strictObject({ address, port }),
      }),
    )
    .check(z.maxLength(MAX_MAPPINGS)),
});

/** JSON Schema 2020-12 of `drydock.boundary-binding/v1`. */
export const bindingJsonSchema = (): Readonly<Record<string, unknown>> =>
  z.toJSONSchema(bindingShape, { target: "draft-2020-12", io: "input" });

/** What a launcher hands to the gate. */
export interface LaunchBinding extends GateBinding {
  /** Launched with --dev: what comes of it is no evidence of an appliance. */
  readonly development: boolean;
}

/**
 * Reads `drydock.boundary-binding/v1`.
 *
 * @throws DrydockError FILE_…
 */
export const parseBinding = (
  bytes: Uint8Array,
  { file }: { readonly file: string },
): LaunchBinding => {
  const { schema: _schema, mappings, ...binding } = readUserFile(bytes, bindingShape, file).value;
  return {
    ...binding,
    mappings: mappings.map(({ guest, ...outer }) => ({
      outer: { ...outer, address: parseIpv4(outer.address) ?? 0 },
      guest,
    })),
  };
};

/** The file that a launcher leaves. */
export const bindingBytes = ({ mappings, ...binding }: LaunchBinding): Buffer =>
  canonicalBytes({
    schema: BINDING_SCHEMA,
    ...binding,
    mappings: mappings.map(({ outer, guest }) => ({
      ...outer,
      address: formatIpv4(outer.address),
      guest: { ...guest },
    })),
  });

/** Where each signed publication was bound to lead. */
export const mappingsOf = ({
  publications,
}: Pick<BoundPlatform, "publications">): GateBinding["mappings"] =>
  publications.map(({ target, ...outer }) => ({
    outer,
    guest: { address: formatIpv4(target.ipv4), port: target.port },
  }));
