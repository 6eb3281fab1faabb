import { DrydockError } from "../errors.js";
import { importPublicKey } from "../keys/key.js";
import { NAMESPACES } from "../keys/sign.js";
import type { EvidenceRecord } from "../record/record.js";
import { ROLES, WITNESS_CLASSES } from "../record/vocabulary.js";
import { base64, digest } from "../schema/common.js";
import { array, object, oneOf } from "../schema/reader.js";
import type { Authority } from "./trust.js";

/** Measurements of a `key.delegated` record. */
const delegationReader = object({
  role: oneOf(ROLES),
  keyId: digest,
  spki: base64,
  classes: array(oneOf(WITNESS_CLASSES), WITNESS_CLASSES.length, 1),
  namespaces: array(oneOf(NAMESPACES), NAMESPACES.length, 1),
});

/**
 * The authority that a `key.delegated` record creates. Nobody gives what he hasn't got: role and
 * classes have to be in the delegating key's own trust entry, and that entry needs the namespace
 * `delegation`. A delegated key signs logs and nothing else.
 *
 * @throws DrydockError DELEGATION_REFUSED, ShapeError, or what `importPublicKey` throws
 */
export const delegatedAuthority = (record: EvidenceRecord, delegator: Authority): Authority => {
  const { role, keyId, spki, classes, namespaces } = delegationReader.read(
    record.measurements,
    "key.delegated",
  );
  const key = importPublicKey(Buffer.from(spki, "base64"));
  const refuse = (why: string): never => {
    throw new DrydockError("DELEGATION_REFUSED", `delegation of ${keyId}: ${why}`);
  };
  if (key.keyId !== keyId) return refuse("keyId isn't the key's");
  if (key.keyId === delegator.key.keyId) return refuse("two roles can't share a key");
  if (!delegator.namespaces.includes("delegation"))
    return refuse("the controller's key may not delegate");
  if (role === "controller" || !delegator.roles.includes(role))
    return refuse(`not for role ${role}`);
  const excess = classes.find((item) => !delegator.classes.includes(item));
  if (excess !== undefined) return refuse(`not for class ${excess}`);
  if (namespaces.length !== 1 || namespaces[0] !== "log") return refuse("only namespace log");
  return {
    key,
    roles: [role],
    classes,
    namespaces: ["log"],
    // Not the record's time: the port may have begun before the controller wrote this down, and
    // the key is good for this run's logs only.
    notBefore: delegator.notBefore,
    notAfter: delegator.notAfter,
    revoked: null,
  };
};
