import { DrydockError, JsonError, parseJson, ShapeError, shape } from "@drydock/evidence";

/** What an operator has looked at by hand, since no endpoint shows it whole. */
export const OPERATOR_SURFACES = [
  "routing",
  "vpn",
  "services",
  "firewall_policy",
  "nat",
  "other_operational_configuration",
] as const;

/** An operator's word for one lab and one candidate, for a few minutes. Drydock never writes one. */
export interface Attestation {
  readonly labIdentity: string;
  readonly candidate: string;
  /** Milliseconds since 1970. */
  readonly issuedAt: number;
  readonly expiresAt: number;
}

const isTrue = shape.rule(shape.boolean, (value) => (value ? null : "expected true"));
const seconds = shape.pattern(
  /^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z$/,
  "an instant (YYYY-MM-DDTHH:MM:SSZ)",
);
/** Every surface once: as many as there are, all different. */
const surfaces = shape.rule(
  shape.array(shape.oneOf(OPERATOR_SURFACES), OPERATOR_SURFACES.length, OPERATOR_SURFACES.length),
  (found) => (new Set(found).size === found.length ? null : "a surface stands twice"),
);

const reader = shape.object({
  schema_version: shape.integer(1, 1),
  lab_identity: shape.text(64, 1),
  candidate: shape.text(31, 1),
  issued_at: seconds,
  expires_at: seconds,
  target_is_disposable_lab: isTrue,
  candidate_is_synthetic_test_only: isTrue,
  verified_no_operational_references: isTrue,
  operator_checked_surfaces: surfaces,
});

/** JSON Schema 2020-12 of an attestation, version 1. */
export const ATTESTATION_SCHEMA = reader.schema;

/**
 * Reads an attestation, schema version 1: exactly its keys.
 *
 * @throws DrydockError LAB_ATTESTATION_INVALID; it says where, and repeats nothing of the file
 */
export const parseAttestation = (bytes: Uint8Array): Attestation => {
  try {
    const found = reader.read(parseJson(bytes), "$");
    return {
      labIdentity: found.lab_identity,
      candidate: found.candidate,
      issuedAt: timeOf(found.issued_at, "$.issued_at"),
      expiresAt: timeOf(found.expires_at, "$.expires_at"),
    };
  } catch (error) {
    if (error instanceof ShapeError) throw invalid(`${error.path} (${error.code})`);
    if (error instanceof JsonError) throw invalid(`byte ${error.offset} (${error.code})`);
    throw error;
  }
};

/** The calendar has the last word: the thirtieth of February has the form of a date. */
const timeOf = (text: string, path: string): number => {
  const time = Date.parse(text);
  if (Number.isNaN(time) || new Date(time).toISOString() !== text.replace("Z", ".000Z"))
    throw new ShapeError("SHAPE_PATTERN", path, "no such instant");
  return time;
};

const invalid = (where: string): DrydockError =>
  new DrydockError("LAB_ATTESTATION_INVALID", `the attestation is refused at ${where}`, {
    fix: "Write it anew, with exactly the keys of docs/acceptance.md; nothing here writes or refreshes one.",
  });
