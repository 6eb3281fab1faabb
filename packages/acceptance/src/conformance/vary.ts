import { isJsonObject, type JsonObject, type JsonValue } from "@drydock/evidence";

export interface Variation {
  readonly what: string;
  readonly value: JsonValue;
}

/** Values of another type, and nothing at all. */
const ALIENS: readonly JsonValue[] = [null, true, 7, -1, "alien", [], {}];

/**
 * An object wrong in one place each: a key more, a key less, a value of another type; also in the
 * objects within it.
 */
export const malformed = (object: JsonObject, path = ""): readonly Variation[] => [
  { what: `an unknown key in ${path || "the object"}`, value: { ...object, drydock_extra: 1 } },
  ...Object.entries(object).flatMap(([key, member]): readonly Variation[] => {
    const place = path === "" ? key : `${path}.${key}`;
    const { [key]: _, ...without } = object;
    const within = isJsonObject(member) ? malformed(member, place) : [];
    return [
      { what: `no ${place}`, value: without },
      ...ALIENS.filter((alien) => kindOf(alien) !== kindOf(member)).map((alien) => ({
        what: `${place} as ${kindOf(alien)}`,
        value: { ...object, [key]: alien },
      })),
      ...within.map(({ what, value }) => ({ what, value: { ...object, [key]: value } })),
    ];
  }),
];

/** Values that are no object at all. */
export const NO_OBJECTS: readonly Variation[] = [null, true, 7, "text", []].map((value) => ({
  what: `${kindOf(value)} in its place`,
  value,
}));

/** Other values of the same type, which an adapter takes or refuses, but can't take for the same. */
export const others = (value: JsonValue): readonly JsonValue[] => {
  if (typeof value === "string") return [`${value}x`, "other"].filter((text) => text !== value);
  if (typeof value === "number") return [value + 1, value === 0 ? 2 : 0];
  if (typeof value === "boolean") return [!value];
  if (Array.isArray(value)) {
    const items: readonly JsonValue[] = value;
    const [first] = items;
    const reversed = [...items].reverse();
    return [
      [...items, first ?? "more"],
      ...(items.length > 0 ? [items.slice(1)] : []),
      ...(JSON.stringify(reversed) === JSON.stringify(items) ? [] : [reversed]),
      ...items
        .flatMap((item, at) => others(item).map((other) => items.with(at, other)))
        .slice(0, 8),
    ];
  }
  return [];
};

function kindOf(value: JsonValue): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
