import { DrydockError, type JsonValue, ShapeError, shape } from "@drydock/evidence";
import { hexDigest, identifier, locator, millis } from "./fields.js";
import { inconsistency } from "./invariants.js";
import { CONTRACT_STATES, type RecoveryContract } from "./model.js";

const { integer, nullable, object, oneOf, rule } = shape;

/** Base64 of what fits into one artifact: a mebibyte, nonce and tag. */
const MAX_ARTIFACT_CHARACTERS = 1_400_000;

const capability = rule(identifier, (text) =>
  /^[A-Z][A-Z0-9_]*_WRITE$/.test(text) ? null : "no name that ends in _WRITE",
);

const sealed = rule(shape.base64, (text) =>
  text.length <= MAX_ARTIFACT_CHARACTERS ? null : "longer than any artifact",
);

const terms = {
  contractId: identifier,
  operationId: identifier,
  idempotencyKey: hexDigest,
  capability,
  endpointSymbol: identifier,
  httpMethod: oneOf(["PATCH", "POST", "PUT", "DELETE"]),
  targetIdentityDigest: hexDigest,
  targetFingerprint: hexDigest,
  lifecycleLocator: locator,
  intentDigest: hexDigest,
  snapshotDigest: hexDigest,
  rollbackPlanVersion: identifier,
  createdAt: millis,
  expiresAt: millis,
  artifacts: object({ salt: hexDigest, identity: sealed, intent: sealed, snapshot: sealed }),
  authorizationProvenance: nullable(identifier),
};

const contractReader = object({
  ...terms,
  state: oneOf(CONTRACT_STATES),
  stateVersion: integer(1),
  confirmation: nullable(object({ digest: hexDigest, at: millis })),
  verifiedTargetFingerprint: nullable(hexDigest),
  enteredReconciliationFrom: nullable(oneOf(["EXECUTING", "ROLLING_BACK"])),
});

/**
 * The only way in for a contract, from a store as from a caller. Messages name fields, never what
 * stands in them.
 *
 * @throws DrydockError CONTRACT_INVALID
 */
export const parseContract = (value: JsonValue | RecoveryContract): RecoveryContract => {
  const contract = shaped(value as JsonValue);
  const wrong = inconsistency(contract);
  if (wrong !== null) throw invalid(wrong);
  return contract;
};

const shaped = (value: JsonValue): RecoveryContract => {
  try {
    return contractReader.read(value, "contract");
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    throw invalid(`${error.path} (${error.code})`);
  }
};

const invalid = (what: string): DrydockError =>
  new DrydockError("CONTRACT_INVALID", `not a recovery contract: ${what}`, {
    fix: "Prepare the change again.",
  });
