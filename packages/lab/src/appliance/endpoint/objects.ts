import type { JsonObject, JsonValue } from "@drydock/evidence";
import type { Configuration, Stored } from "../configuration/index.js";
import { findById, type Model, readBack, type Sibling, shown } from "../field/index.js";

/** Whatever of an object's request isn't a list. */
export const objectOf = (data: JsonObject | readonly JsonValue[]): JsonObject =>
  Array.isArray(data) ? {} : (data as JsonObject);

export const represent = ({ fields }: Model, id: number, object: Stored): JsonObject => ({
  id,
  ...shown(fields, object),
});

export const withList = (
  configuration: Configuration,
  { list }: Model,
  objects: readonly Stored[],
): Configuration => ({ ...configuration, [list]: objects });

/** All others of the list. */
export const siblingsOf = (objects: readonly Stored[], id: number | null): readonly Sibling[] =>
  objects.flatMap((object, index) => (index === id ? [] : [{ id: index, object }]));

export const idIn = (objects: readonly Stored[], data: JsonObject): number =>
  findById(objects, data["id"] ?? null);

/** Where an object ends up in its list, and the list: a move renumbers all between. */
export const placed = (
  objects: readonly Stored[],
  id: number,
  placement: JsonValue,
  { fields, sortBy }: Model,
): { readonly objects: readonly Stored[]; readonly id: number } => {
  const tagged = objects.map((object, index) => ({ object, mine: index === id }));
  if (typeof placement === "number" && Number.isSafeInteger(placement)) {
    const [moved] = tagged.splice(id, 1);
    if (moved !== undefined) tagged.splice(Math.min(placement, tagged.length), 0, moved);
  }
  if (sortBy !== undefined) {
    tagged.sort((a, b) => Number(a.object[sortBy]) - Number(b.object[sortBy]));
  }
  return {
    objects: tagged.map(({ object }) => readBack(fields, object)),
    id: tagged.findIndex(({ mine }) => mine),
  };
};
