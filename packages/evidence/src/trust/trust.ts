import { DrydockError } from "../errors.js";
import { type JsonLimits, parseJson } from "../json/parse.js";
import { importPublicKey, type PublicKey } from "../keys/key.js";
import { NAMESPACES, type Namespace } from "../keys/sign.js";
import { ROLES, type Role, WITNESS_CLASSES, type WitnessClass } from "../record/vocabulary.js";
import { base64, digest, type Instant, instant } from "../schema/common.js";
import { array, literal, nullable, object, oneOf, rule, type Shape } from "../schema/reader.js";

export const TRUST_SCHEMA = "drydock.trust/v1";
const TRUST_LIMITS: Partial<JsonLimits> = { maxBytes: 1024 * 1024 };
const MAX_KEYS = 1024;

const distinct = (values: readonly string[]): string | null =>
  new Set(values).size === values.length ? null : "values must differ";

const entryReader = rule(
  object({
    keyId: digest,
    spki: base64,
    roles: rule(array(oneOf(ROLES), ROLES.length), distinct),
    classes: rule(array(oneOf(WITNESS_CLASSES), WITNESS_CLASSES.length), distinct),
    namespaces: rule(array(oneOf(NAMESPACES), NAMESPACES.length, 1), distinct),
    notBefore: instant,
    notAfter: instant,
    /** When it became known that the key isn't its owner's alone any more; null while it is. */
    revoked: nullable(instant),
  }),
  (entry) => (entry.notBefore < entry.notAfter ? null : "notBefore must lie before notAfter"),
);

const trustReader = rule(
  object({ schema: literal(TRUST_SCHEMA), keys: array(entryReader, MAX_KEYS) }),
  (trust) => distinct(trust.keys.map((key) => key.keyId)),
);

export type TrustFile = Shape<typeof trustReader>;
export type TrustEntry = TrustFile["keys"][number];
export const trustSchema = trustReader.schema;

/** A key with what it may do: from a trust file, or delegated by a key from one. */
export interface Authority {
  readonly key: PublicKey;
  readonly roles: readonly Role[];
  readonly classes: readonly WitnessClass[];
  readonly namespaces: readonly Namespace[];
  readonly notBefore: Instant;
  readonly notAfter: Instant;
  readonly revoked: Instant | null;
}

export interface Trust {
  readonly authorities: readonly Authority[];
}

/**
 * Reads `drydock.trust/v1`. People write this file, so it needn't be canonical; it is strict in
 * everything else.
 *
 * @throws JsonError, ShapeError, DrydockError KEY_FORMAT, KEY_SMALL_ORDER or TRUST_KEY_ID
 */
export const parseTrust = (bytes: Uint8Array): Trust =>
  trustFrom(trustReader.read(parseJson(bytes, TRUST_LIMITS), "trust"));

/** @throws DrydockError as `parseTrust` */
export const trustFrom = (file: TrustFile): Trust => ({
  authorities: file.keys.map((entry) => {
    const key = importPublicKey(Buffer.from(entry.spki, "base64"));
    if (key.keyId !== entry.keyId) {
      throw new DrydockError("TRUST_KEY_ID", `the key listed as ${entry.keyId} is ${key.keyId}`, {
        fix: "Take keyId and spki from the same `drydock keys export`.",
      });
    }
    const { roles, classes, namespaces, notBefore, notAfter, revoked } = entry;
    return { key, roles, classes, namespaces, notBefore, notAfter, revoked };
  }),
});
