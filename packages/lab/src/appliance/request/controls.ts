import { isJsonObject, type JsonObject, type JsonValue } from "@drydock/evidence";
import { refuseValue } from "../answer/index.js";
import { atLeast, type Behaviour, DRY_RUN_SINCE } from "../configuration/index.js";
import type { ApiCall } from "./call.js";

/** What steers a request and isn't a value of an object. */
export interface Controls {
  /** Whether changes are applied after the answer, and not before it. */
  readonly async: boolean;
  readonly reverse: boolean;
  readonly append: boolean;
  readonly remove: boolean;
  readonly dryRun: boolean;
  readonly limit: number;
  readonly offset: number;
  readonly sortBy: readonly string[];
  readonly descending: boolean;
}

export interface Request {
  readonly data: JsonObject | readonly JsonValue[];
  readonly controls: Controls;
}

/**
 * Takes the control parameters out of what the client sent. One that is null counts as not given.
 *
 * @throws ApiRefusal ENDPOINT_…_FIELD_INVALID_TYPE
 */
export const takeControls = (
  given: JsonObject | readonly JsonValue[],
  fields: ApiCall["fields"],
  behaviour: Behaviour,
): Request => {
  const data: Record<string, JsonValue> = isJsonObject(given) ? { ...given } : {};
  const take = (name: string): JsonValue => {
    const value = Object.hasOwn(data, name) ? (data[name] ?? null) : null;
    if (value !== null) delete data[name];
    return value;
  };
  const flag = (name: string, fallback: boolean): boolean => {
    const value = take(name) ?? fallback;
    return typeof value === "boolean" ? value : wrongType(name, "boolean");
  };
  const number = (name: string): number => {
    const value = take(name) ?? 0;
    return typeof value === "number" && Number.isSafeInteger(value)
      ? value
      : wrongType(name, "integer");
  };
  const knowsDryRun = atLeast(behaviour.apiVersion, DRY_RUN_SINCE);
  const controls: Controls = {
    async: flag("async", true),
    reverse: flag("reverse", false),
    sortBy: sortFields(take("sort_by")),
    descending: sortOrder(take("sort_order")),
    append: flag("append", false),
    remove: flag("remove", false),
    limit: number("limit"),
    offset: number("offset"),
    dryRun: knowsDryRun && (flag("dry_run", false) || prefersDryRun(fields)),
  };
  return { data: isJsonObject(given) ? data : given, controls };
};

/** RFC 7240 §2. */
const prefersDryRun = (fields: ApiCall["fields"]): boolean =>
  (fields["prefer"] ?? "").split(",").some((one) => one.trim().toLowerCase() === "dry-run");

const sortFields = (value: JsonValue): readonly string[] => {
  if (value === null) return [];
  return (Array.isArray(value) ? value : [value]).map((name) =>
    typeof name === "string" ? name : wrongType("sort_by", "string"),
  );
};

const sortOrder = (value: JsonValue): boolean => {
  if (value !== null && typeof value !== "string") return wrongType("sort_order", "string");
  if (value !== null && value !== "SORT_ASC" && value !== "SORT_DESC") {
    return refuseValue(
      "ENDPOINT_SORT_ORDER_FIELD_UNKNOWN_SORT_ORDER",
      "Field `sort_order` must be one of: ['SORT_ASC', 'SORT_DESC'].",
    );
  }
  return value === "SORT_DESC";
};

const wrongType = (name: string, type: string): never =>
  refuseValue(
    `ENDPOINT_${name.toUpperCase()}_FIELD_INVALID_TYPE`,
    `Field \`${name}\` must be of type \`${type}\`.`,
  );
