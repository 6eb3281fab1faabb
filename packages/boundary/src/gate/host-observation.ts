import {
  canonicalBytes,
  type Digest,
  digestOf,
  type PublicKey,
  parseCanonical,
  type SigningKey,
  signIn,
  verifyIn,
} from "@drydock/evidence";
import * as z from "zod/mini";
import type { Audience } from "../model/index.js";

export const HOST_OBSERVATION_SCHEMA = "drydock.host-observation/v1";

/** A listener of the appliance's process, where it is seen from and where it leads. */
export interface HostListener {
  /** null: nobody signed it. */
  readonly audience: Audience | null;
  readonly address: string;
  readonly port: number;
  readonly protocol: "tcp" | "udp";
  /** Inside of the appliance; both or neither. */
  readonly guest: { readonly address: string; readonly port: number } | null;
}

/** What somebody outside of the appliance saw of it, at one time. */
export interface HostObservation {
  /** Of the launch that was looked at, as its binding names it: another one's is no answer. */
  readonly launch: string;
  readonly policyDigest: Digest;
  readonly payloadDigest: Digest;
  /** Of the host that runs the appliance. */
  readonly bootId: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly observedAt: string;
  /** Everything that had to be looked at was. */
  readonly complete: boolean;
  readonly listeners: readonly HostListener[];
  /** Outer addresses and ports that were tried, and how many answered. */
  readonly forbidden: { readonly tried: number; readonly reached: number };
}

/** As it is handed over. */
export interface SignedHostObservation {
  readonly observation: HostObservation;
  /** Digest of the observation's RFC 8785 bytes. */
  readonly id: Digest;
  readonly keyId: Digest;
  readonly signature: Uint8Array;
}

/** A machine publishes a handful; a listing that is longer isn't one of an appliance. */
const MAX_LISTENERS = 256;
const MAX_BYTES = 256 * 1024;

const digest = z.custom<Digest>(
  (value) => typeof value === "string" && /^sha256:[0-9a-f]{64}$/.test(value),
);
const port = z.int().check(z.minimum(1), z.maximum(65_535));
const address = z.string().check(z.maxLength(64));
const count = z.int().check(z.minimum(0), z.maximum(1_000_000));

const observationShape = z.strictObject({
  launch: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
  policyDigest: digest,
  payloadDigest: digest,
  bootId: z.string().check(z.regex(/^[0-9a-f-]{36}$/)),
  observedAt: z.string().check(z.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)),
  complete: z.boolean(),
  listeners: z
    .array(
      z.strictObject({
        audience: z.nullable(z.enum(["participant", "recovery", "host-mcp"])),
        address,
        port,
        protocol: z.enum(["tcp", "udp"]),
        guest: z.nullable(z.strictObject({ address, port })),
      }),
    )
    .check(z.maxLength(MAX_LISTENERS)),
  forbidden: z.strictObject({ tried: count, reached: count }),
});

const signedShape = z.strictObject({
  schema: z.literal(HOST_OBSERVATION_SCHEMA),
  observation: observationShape,
  id: digest,
  keyId: digest,
  signature: z.string().check(z.regex(/^[A-Za-z0-9+/]{85}[AQgw]==$/)),
});

const bytesOf = (observation: HostObservation): Buffer => canonicalBytes(plain(observation));

/** As JSON has it, for the canonical form. */
const plain = ({ listeners, forbidden, ...rest }: HostObservation) => ({
  ...rest,
  forbidden: { ...forbidden },
  listeners: listeners.map(({ guest, ...listener }) => ({
    ...listener,
    guest: guest === null ? null : { ...guest },
  })),
});

/** The file that `boundary observe-host` writes: RFC 8785 bytes. */
export const signHostObservation = (observation: HostObservation, key: SigningKey): Buffer => {
  const bytes = bytesOf(observation);
  return canonicalBytes({
    schema: HOST_OBSERVATION_SCHEMA,
    observation: plain(observation),
    id: digestOf(bytes),
    keyId: key.public.keyId,
    signature: signIn("observation", bytes, key).toString("base64"),
  });
};

/** null for bytes that `signHostObservation` doesn't write. */
export const readHostObservation = (bytes: Uint8Array): SignedHostObservation | null => {
  let json: unknown;
  try {
    json = parseCanonical(bytes, { maxBytes: MAX_BYTES });
  } catch {
    // Not canonical JSON: the caller has a finding for it.
    return null;
  }
  const read = signedShape.safeParse(json);
  if (!read.success) return null;
  const { observation, id, keyId, signature } = read.data;
  return { observation, id, keyId, signature: Buffer.from(signature, "base64") };
};

/**
 * Guard: whether the id is the digest of what is said and the signature is the key's. Without it
 * anybody can say what the outside looks like.
 */
export const isHostObservationSigned = (
  { observation, id, signature }: SignedHostObservation,
  key: PublicKey,
): boolean => {
  const bytes = bytesOf(observation);
  return digestOf(bytes) === id && verifyIn("observation", bytes, signature, key);
};
