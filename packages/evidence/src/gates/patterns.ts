import type { EventTypeName } from "../record/event-types.js";
import { EVENT_TYPES } from "../record/event-types.js";
import type { Role } from "../record/vocabulary.js";
import type { FieldTest, Outcome, Prohibition, Requirement, Scalar } from "./gate.js";

export const is = (path: string, value: Scalar): FieldTest => ({ op: "eq", path, value });

export const oneOf = (path: string, value: readonly Scalar[]): FieldTest => ({
  op: "in",
  path,
  value,
});

const matching = (type: EventTypeName, where: readonly FieldTest[], role?: Role) => {
  const { class: witness, mechanism, roles } = EVENT_TYPES[type];
  return { role: role ?? roles[0], type, class: witness, mechanism, where };
};

/** At least one such record, as its type's witness wrote it. */
export const need = (
  type: EventTypeName,
  where: readonly FieldTest[] = [],
  outcome: Outcome = "INCOMPLETE",
  role?: Role,
): Requirement => ({ ...matching(type, where, role), min: 1, max: null, outcome });

/** Not one such record. */
export const never = (
  type: EventTypeName,
  where: readonly FieldTest[] = [],
  outcome: Outcome = "FAIL",
  role?: Role,
): Prohibition => ({ ...matching(type, where, role), outcome });
