import {
  canonicalBytes,
  DrydockError,
  isDrydockError,
  parseCanonical,
  shape,
} from "@drydock/evidence";

/** A reason is one line for a person; longer text belongs into an incident report. */
export const MAX_REASON = 500;

const { base64, digest, instant, integer, literal, nullable, object, oneOf, text } = shape;

const signature = object({
  keyId: digest,
  /** Ed25519 in namespace `halt` over the statement's canonical form, standard base64. */
  value: base64,
});

const recordShape = object({
  schema: literal("drydock.halt/v1"),
  /** 1 for the first record of a place, then one more each time. */
  generation: integer(1),
  state: oneOf(["on", "off"]),
  reason: text(MAX_REASON, 1),
  at: instant,
  /** Digest of the record before, so that a signature lifts one halt and no later one. */
  previous: nullable(digest),
  /** Anyone may stop; only a trusted key may let go on. Null exactly for `on`. */
  signature: nullable(signature),
});

export type HaltRecord = shape.Shape<typeof recordShape>;
export type HaltSignature = shape.Shape<typeof signature>;
export type HaltStatement = Omit<HaltRecord, "signature">;

/** JSON Schema of one record, for the documentation. */
export const haltRecordSchema = recordShape.schema;

/** A record is far below this; more is something else under the record's name. */
export const MAX_RECORD_BYTES = 4_096;

/** What is signed: the record without its signature, in RFC 8785 form. */
export const statementBytes = (statement: HaltStatement): Uint8Array => {
  const { schema, generation, state, reason, at, previous } = statement;
  return canonicalBytes({ schema, generation, state, reason, at, previous });
};

export const encodeHaltRecord = (record: HaltRecord): Uint8Array => canonicalBytes(record);

/** @throws DrydockError HALT_MALFORMED */
export const parseHaltRecord = (bytes: Uint8Array): HaltRecord => {
  try {
    const limits = { maxBytes: MAX_RECORD_BYTES, maxDepth: 3, maxNodes: 32 };
    const record = recordShape.read(parseCanonical(bytes, limits), "halt");
    if ((record.state === "on") !== (record.signature === null)) {
      throw new DrydockError("HALT_MALFORMED", `"${record.state}" with the wrong signature`);
    }
    return record;
  } catch (error) {
    if (!isDrydockError(error)) throw error;
    throw new DrydockError("HALT_MALFORMED", `halt record: ${error.message}`, { cause: error });
  }
};
