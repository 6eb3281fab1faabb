import type { JsonValue } from "@drydock/evidence";
import { refuse, refuseValue } from "../answer/index.js";
import type { Stored } from "../configuration/index.js";
import { looseEqual, typeOf } from "../query/index.js";
import type { Field, Surroundings } from "./field.js";

/** Bytes of a text unless its field says otherwise. */
const MAX_TEXT_BYTES = 1024;
const MAX_VALUES = 65_535;

/** An object of the same list, and where it is in it. */
export interface Sibling {
  readonly id: number;
  readonly object: Stored;
}

/**
 * The object as it may be stored: each field in the model's order, then what one field demands of
 * another. The whole object is validated, also when one field of it changes.
 *
 * @param requested the stored object with what the client sent; unknown keys are left out
 * @throws ApiRefusal
 */
export const validateObject = (
  fields: readonly Field[],
  requested: Stored,
  siblings: readonly Sibling[],
  surroundings: Omit<Surroundings, "object">,
): Stored => {
  const object: Record<string, JsonValue> = {};
  for (const { name } of fields) object[name] = ownValue(requested, name);
  const here = { ...surroundings, object };
  for (const field of fields) object[field.name] = validateField(field, here, siblings);
  for (const field of fields) {
    const value = object[field.name] ?? null;
    if (field.verify === undefined || value === null) continue;
    for (const one of field.many === undefined ? [value] : listOf(value)) {
      field.verify(one, here, field);
    }
  }
  return object;
};

/** Not what every object has, such as `constructor`. */
const ownValue = (object: Stored, name: string): JsonValue =>
  Object.hasOwn(object, name) ? (object[name] ?? null) : null;

const validateField = (
  field: Field,
  surroundings: Surroundings,
  siblings: readonly Sibling[],
): JsonValue => {
  const { object, initial } = surroundings;
  const given = object[field.name] ?? null;
  if (!conditionsMet(field, object)) return null;
  if (field.required && given === null) {
    refuseValue("FIELD_IS_REQUIRED", `Field \`${field.name}\` is required.`);
  }
  if (field.automatic !== undefined) return automaticValue(field, given, surroundings);
  refuseEdit(field, given, initial);
  const value = given ?? field.fallback ?? null;
  refuseEmpty(field, value);
  if (value === null && field.allowNull) return null;
  if (field.many === undefined) {
    checkValue(field, value, surroundings, siblings);
    return value;
  }
  if (!Array.isArray(value)) {
    refuseValue("FIELD_INVALID_MANY_VALUE", `Field \`${field.name}\` must be of type \`array\`.`);
  }
  checkLength(field, listOf(value).length);
  for (const one of listOf(value)) checkValue(field, one, surroundings, siblings);
  return value;
};

const conditionsMet = ({ conditions = {} }: Field, object: Stored): boolean =>
  Object.entries(conditions).every(([name, values]) => values.includes(object[name] ?? null));

const automaticValue = (field: Field, given: JsonValue, surroundings: Surroundings): JsonValue => {
  const { initial } = surroundings;
  const { value, renewed } = field.automatic ?? { value: () => null, renewed: false };
  if (initial === null || renewed) return value(surroundings);
  refuseEdit({ ...field, editable: false }, given, initial);
  return given;
};

const refuseEdit = ({ name, editable }: Field, given: JsonValue, initial: Stored | null): void => {
  if (initial === null || editable !== false) return;
  const current = initial[name] ?? null;
  if (JSON.stringify(current) === JSON.stringify(given)) return;
  refuseValue(
    "FIELD_VALUE_CHANGED_WHEN_NOT_EDITABLE",
    `Field \`${name}\` is not editable but the requested value \`${String(given)}\` differs from its current value \`${String(current)}\`.`,
  );
};

const isEmpty = (value: JsonValue): boolean =>
  value === "" || (Array.isArray(value) && value.length === 0);

const refuseEmpty = ({ name, allowEmpty }: Field, value: JsonValue): void => {
  if (isEmpty(value) && allowEmpty !== true) {
    refuseValue("FIELD_EMPTY_NOT_ALLOWED", `Field \`${name}\` cannot be empty.`);
  }
};

const checkLength = ({ name, many }: Field, length: number): void => {
  if (length < (many?.minimum ?? 0)) {
    refuseValue(
      "LENGTH_VALIDATOR_MINIMUM_CONSTRAINT",
      `Field '${name}' must contain a minimum of ${many?.minimum} entries.`,
    );
  }
  if (length > MAX_VALUES) {
    refuseValue(
      "LENGTH_VALIDATOR_MAXIMUM_CONSTRAINT",
      `Field '${name}' exceeds the maximum array length of ${MAX_VALUES}.`,
    );
  }
};

const checkType = ({ name, type }: Field, value: JsonValue): void => {
  if (typeOf(value) !== type) {
    refuseValue("FIELD_INVALID_TYPE", `Field \`${name}\` must be of type \`${type}\``);
  }
};

const checkValue = (
  field: Field,
  value: JsonValue,
  surroundings: Surroundings,
  siblings: readonly Sibling[],
): void => {
  const { name, choices, maxLength = MAX_TEXT_BYTES, range } = field;
  checkType(field, value);
  if (choices !== undefined && !choices.includes(value)) {
    refuseValue("FIELD_INVALID_CHOICE", `Field \`${name}\` must be one of [${choices.join(", ")}]`);
  }
  if (field.unique) {
    const other = siblings.find(({ object }) => looseEqual(object[name] ?? null, value));
    if (other !== undefined) {
      refuseValue(
        "FIELD_MUST_BE_UNIQUE",
        `Field '${name}' must be unique. Value is in use by object with ID '${other.id}'.`,
      );
    }
  }
  if (typeof value === "number" && range !== undefined && (value < range[0] || value > range[1])) {
    refuseValue(
      "NUMERIC_RANGE_VALIDATOR_FAILED",
      `Field '${name}' must be from ${range.join(" to ")}.`,
    );
  }
  refuseEmpty(field, value);
  if (typeof value !== "string" || value === "") return;
  if (Buffer.byteLength(value) > maxLength) {
    refuseValue(
      "LENGTH_VALIDATOR_MAXIMUM_CONSTRAINT",
      `Field '${name}' exceeds the maximum character length of ${maxLength}.`,
    );
  }
  field.check?.(value, surroundings, field);
};

const listOf = (value: JsonValue): readonly JsonValue[] => (Array.isArray(value) ? value : []);

/**
 * The object as it is read back. Lists are written as one text with delimiters, so that a value that
 * holds one comes back as two, and a list of one empty value as none.
 */
export const readBack = (fields: readonly Field[], object: Stored): Stored => {
  const stored: Record<string, JsonValue> = { ...object };
  for (const { name, many } of fields) {
    const value = stored[name] ?? null;
    if (many === undefined || many.delimiter === null || !Array.isArray(value)) continue;
    const written = value.join(many.delimiter);
    // The appliance is written in a language in which the text "0" is empty as well.
    stored[name] = written === "" || written === "0" ? [] : written.split(many.delimiter);
  }
  return stored;
};

/** What a client is shown. */
export const shown = (fields: readonly Field[], object: Stored): Stored =>
  Object.fromEntries(
    fields.filter(({ sensitive }) => !sensitive).map(({ name }) => [name, object[name] ?? null]),
  );

/** An object with this id, as `array_key_exists` has it: a number, or a text that is one. */
export const findById = (objects: readonly Stored[], id: JsonValue): number => {
  if (id === null) {
    return refuse(500, "MODEL_ID_REQUIRED_FOR_REFRESH", "An ID is required.");
  }
  const index = typeof id === "string" && /^(0|[1-9][0-9]{0,9})$/.test(id) ? Number(id) : id;
  if (typeof index === "number" && Number.isSafeInteger(index) && objects[index] !== undefined) {
    return index;
  }
  return refuse(404, "MODEL_OBJECT_NOT_FOUND", `Object with ID '${String(id)}' does not exist.`);
};
