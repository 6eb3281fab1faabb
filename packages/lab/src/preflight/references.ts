import type { JsonObject, JsonValue } from "@drydock/evidence";

/**
 * Whether a text names an alias: as a whole word of what alias names are made of, so that `!NAME`
 * and `NAME,other` do and `NAME_2` doesn't.
 *
 * @param name letters, digits and `_`
 */
export const names = (text: string, name: string): boolean =>
  new RegExp(`(?<![A-Za-z0-9_])${name}(?![A-Za-z0-9_])`).test(text);

/** How many of these objects name the alias anywhere but in prose. The alias itself isn't counted. */
export const countReferences = (
  rows: readonly JsonObject[],
  name: string,
  prose: readonly string[],
): number => rows.filter((row) => refers(row, name, prose)).length;

const refers = (row: JsonObject, name: string, prose: readonly string[]): boolean =>
  Object.entries(row).some(
    ([key, value]) =>
      !prose.includes(key) && !(key === "name" && value === name) && contains(value, name),
  );

const contains = (value: JsonValue, name: string): boolean => {
  if (typeof value === "string") return names(value, name);
  if (value === null || typeof value !== "object") return false;
  // A key may be a name as well: the API has maps in some objects.
  return Object.entries(value).some(
    ([key, inner]) => names(key, name) || contains(inner as JsonValue, name),
  );
};
