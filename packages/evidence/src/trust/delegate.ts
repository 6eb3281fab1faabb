import type { PublicKey } from "../keys/key.js";
import type { Measurements } from "../record/record.js";
import type { Role, WitnessClass } from "../record/vocabulary.js";

/** What the controller writes to certify another role's key for one run. */
export const delegationMeasurements = (
  key: PublicKey,
  role: Role,
  classes: readonly WitnessClass[],
): Measurements => ({
  role,
  keyId: key.keyId,
  spki: key.spki,
  classes: [...classes],
  namespaces: ["log"],
});
