import type { JsonValue } from "@drydock/evidence";
import { refuseValue } from "../answer/index.js";
import { isNumeric, looseEqual, textOf } from "./loose.js";

type Filter = (value: JsonValue, wanted: JsonValue) => boolean;

const compared =
  (holds: (a: number, b: number) => boolean): Filter =>
  (value, wanted) =>
    isNumeric(value) && isNumeric(wanted) && holds(Number(value), Number(wanted));

const isList = (value: JsonValue): value is readonly JsonValue[] => Array.isArray(value);

const FILTERS: ReadonlyMap<string, Filter> = new Map<string, Filter>([
  ["exact", looseEqual],
  ["except", (value, wanted) => !looseEqual(value, wanted)],
  [
    "startswith",
    (value, wanted) =>
      isList(value)
        ? looseEqual(value[0] ?? null, wanted)
        : textOf(value).startsWith(textOf(wanted)),
  ],
  [
    "endswith",
    (value, wanted) =>
      isList(value)
        ? looseEqual(value.at(-1) ?? null, wanted)
        : textOf(value).endsWith(textOf(wanted)),
  ],
  [
    "contains",
    (value, wanted) =>
      isList(value)
        ? value.some((one) => looseEqual(one, wanted))
        : textOf(value).includes(textOf(wanted)),
  ],
  ["in", (value, wanted) => isList(wanted) && wanted.some((one) => looseEqual(one, value))],
  ["lt", compared((a, b) => a < b)],
  ["lte", compared((a, b) => a <= b)],
  ["gt", compared((a, b) => a > b)],
  ["gte", compared((a, b) => a >= b)],
]);

/** The package has these, this stand-in hasn't. It says so, instead of finding nothing. */
const UNSUPPORTED: ReadonlySet<string> = new Set(["regex", "format"]);

/**
 * Whether an object is found by a query of `field` or `field__filter`. One that asks for a field
 * that the object hasn't finds nothing.
 *
 * @throws ApiRefusal STAND_IN_FILTER_UNSUPPORTED
 */
export const matches = (
  object: Readonly<Record<string, JsonValue>>,
  query: Readonly<Record<string, JsonValue>>,
): boolean =>
  Object.entries(query).every(([target, wanted]) => {
    const { field, filter } = targetOf(target);
    return Object.hasOwn(object, field) && filter(object[field] ?? null, wanted);
  });

const targetOf = (target: string): { readonly field: string; readonly filter: Filter } => {
  const at = target.lastIndexOf("__");
  const name = at === -1 ? "exact" : target.slice(at + 2);
  if (UNSUPPORTED.has(name)) {
    refuseValue("STAND_IN_FILTER_UNSUPPORTED", `This stand-in has no query filter \`${name}\`.`);
  }
  const filter = FILTERS.get(name);
  return filter === undefined || at === -1
    ? { field: target, filter: looseEqual }
    : { field: target.slice(0, at), filter };
};
