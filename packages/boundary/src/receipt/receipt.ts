import {
  canonicalBytes,
  type Digest,
  type PublicKey,
  parseCanonical,
  type SigningKey,
  signIn,
  verifyIn,
} from "@drydock/evidence";
import * as z from "zod/mini";
import type { Authority } from "../model/index.js";

export const READBACK_RECEIPT_SCHEMA = "drydock.readback-receipt/v1";

/** That a boundary's rules were read back from the kernel, and whether they are what is meant. */
export interface ReadbackReceipt {
  /** Over the exact bytes of the appliance policy. */
  readonly policyDigest: Digest;
  /** What the kernel has to hold, one for each authority. */
  readonly rulesets: readonly { readonly authority: Authority; readonly digest: Digest }[];
  /** Of the kernel that holds them. */
  readonly bootId: string;
  /** Of the engine whose containers they bind. */
  readonly daemonId: string;
  /** When reading back began. RFC 3339, UTC, milliseconds. */
  readonly observedAt: string;
  /** Nothing differs, and packet by packet they do what was authored. */
  readonly ok: boolean;
}

/** As it is handed over. */
export interface SignedReadbackReceipt {
  readonly receipt: ReadbackReceipt;
  readonly keyId: Digest;
  readonly signature: Uint8Array;
}

/** A receipt is some 700 bytes. */
export const MAX_READBACK_RECEIPT_BYTES = 8 * 1024;

const AUTHORITIES = ["scenario", "platform"] as const satisfies readonly Authority[];

const digest = z.custom<Digest>(
  (value) => typeof value === "string" && /^sha256:[0-9a-f]{64}$/.test(value),
);

const receiptShape = z.strictObject({
  policyDigest: digest,
  rulesets: z
    .array(z.strictObject({ authority: z.enum(AUTHORITIES), digest }))
    .check(z.minLength(1), z.maxLength(AUTHORITIES.length)),
  bootId: z.string().check(z.regex(/^[0-9a-f-]{36}$/)),
  daemonId: z.string().check(z.minLength(1), z.maxLength(256)),
  observedAt: z.string().check(z.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)),
  ok: z.boolean(),
});

const signedShape = z.strictObject({
  schema: z.literal(READBACK_RECEIPT_SCHEMA),
  receipt: receiptShape,
  keyId: digest,
  signature: z.string().check(z.regex(/^[A-Za-z0-9+/]{85}[AQgw]==$/)),
});

const plain = ({ rulesets, ...rest }: ReadbackReceipt) => ({
  ...rest,
  rulesets: rulesets.map((ruleset) => ({ ...ruleset })),
});

/** With its schema: others sign in the same namespace, and what they sign is no receipt. */
const bytesOf = (receipt: ReadbackReceipt): Buffer =>
  canonicalBytes({ schema: READBACK_RECEIPT_SCHEMA, receipt: plain(receipt) });

/** The receipt's file: RFC 8785 bytes. */
export const signReadbackReceipt = (receipt: ReadbackReceipt, key: SigningKey): Buffer =>
  canonicalBytes({
    schema: READBACK_RECEIPT_SCHEMA,
    receipt: plain(receipt),
    keyId: key.public.keyId,
    signature: signIn("observation", bytesOf(receipt), key).toString("base64"),
  });

/** null for bytes that `signReadbackReceipt` doesn't write. */
export const readReadbackReceipt = (bytes: Uint8Array): SignedReadbackReceipt | null => {
  let json: unknown;
  try {
    json = parseCanonical(bytes, { maxBytes: MAX_READBACK_RECEIPT_BYTES });
  } catch {
    // Not canonical JSON: no receipt, which is a reason of its own.
    return null;
  }
  const read = signedShape.safeParse(json);
  if (!read.success) return null;
  const { receipt, keyId, signature } = read.data;
  return { receipt, keyId, signature: Buffer.from(signature, "base64") };
};

export const isReadbackReceiptSigned = (
  { receipt, keyId, signature }: SignedReadbackReceipt,
  key: PublicKey,
): boolean => keyId === key.keyId && verifyIn("observation", bytesOf(receipt), signature, key);
