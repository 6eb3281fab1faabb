import type { JsonObject, JsonValue } from "@drydock/evidence";
import { refuseValue } from "../answer/index.js";
import type { Stored } from "../configuration/index.js";
import { MAX_OBJECTS, type Model, readBack, type Sibling } from "../field/index.js";
import { isNumeric, matches, paginate } from "../query/index.js";
import type { Controls } from "../request/index.js";
import { type Handler, type Turn, unchanged } from "./handler.js";
import { objectOf, represent } from "./objects.js";
import { finished, requireDeletable, write } from "./single.js";

interface Found {
  readonly id: number;
  readonly object: Stored;
}

const found = (objects: readonly Stored[], query: JsonObject): readonly Found[] =>
  objects
    .map((object, id) => ({ id, object }))
    .filter(({ id, object }) => matches({ ...object, id }, query));

export const readMany =
  (model: Model): Handler =>
  (turn) => {
    const objects = turn.appliance.configuration[model.list];
    const names = model.fields.map(({ name }) => name);
    const page = pageOf(found(objects, objectOf(turn.data)), turn.controls, names);
    return unchanged(
      turn,
      page.map(({ id, object }) => represent(model, id, object)),
    );
  };

/**
 * Sorted, then the page, and reversed last; without a query and an order it is reversed first, so
 * that the page is of the end. There is no count of all.
 */
export const pageOf = (
  all: readonly Found[],
  { sortBy, descending, reverse, limit, offset }: Controls,
  fields: readonly string[],
): readonly Found[] => {
  for (const name of sortBy) {
    if (!fields.includes(name)) {
      refuseValue(
        "ENDPOINT_SORT_BY_FIELD_NON_EXISTENT_FIELD",
        "Field `sort_by` must be a valid field in the Model.",
      );
    }
  }
  const sorted = sortBy.length === 0 ? all : [...all].sort(by(sortBy, descending));
  const turned = reverse ? [...sorted].reverse() : sorted;
  return paginate(turned, limit, offset);
};

const by =
  (fields: readonly string[], descending: boolean) =>
  (a: Found, b: Found): number => {
    for (const name of fields) {
      const order = compare(a.object[name] ?? null, b.object[name] ?? null);
      if (order !== 0) return descending ? -order : order;
    }
    return a.id - b.id;
  };

const compare = (a: JsonValue, b: JsonValue): number => {
  if (isNumeric(a) && isNumeric(b)) return Number(a) - Number(b);
  const [one, other] = [String(a), String(b)];
  if (one === other) return 0;
  return one < other ? -1 : 1;
};

/** All objects that there are, instead of those that there were. */
export const replaceAll =
  (model: Model): Handler =>
  (turn) => {
    const sent = Array.isArray(turn.data) ? turn.data : [];
    const { minimum = 0 } = model;
    if (sent.length < minimum) {
      refuseValue(
        "MODEL_REPLACE_ALL_MINIMUM_NOT_MET",
        `A minimum of ${minimum} new objects is required to replace all existing objects.`,
      );
    }
    if (sent.length > MAX_OBJECTS) {
      refuseValue("MODEL_REPLACE_ALL_MAXIMUM_EXCEEDED", `No more than ${MAX_OBJECTS} objects.`);
    }
    const objects: Stored[] = [];
    for (const one of sent) objects.push(replacement(model, turn, one, objects));
    const data = objects.map((object, id) => represent(model, id, object));
    if (turn.controls.dryRun) return unchanged(turn, data);
    const stored = objects.map((object) => readBack(model.fields, object));
    return { ...write(turn, model, stored, `Replaced all ${model.names[1]} via API`), data };
  };

const replacement = (
  model: Model,
  turn: Turn,
  sent: JsonValue,
  before: readonly Stored[],
): Stored => {
  const siblings: readonly Sibling[] = before.map((object, id) => ({ id, object }));
  const data = typeof sent === "object" && sent !== null && !Array.isArray(sent) ? sent : {};
  // What is replaced is gone before the new ones are looked at: they can name only each other.
  const { appliance } = turn;
  const configuration = { ...appliance.configuration, [model.list]: before };
  const here = { ...turn, appliance: { ...appliance, configuration } };
  return finished(model, here, data as Stored, null, siblings);
};

/** All that a query finds; without any query only `all: true` deletes. */
export const deleteMany =
  (model: Model): Handler =>
  (turn) => {
    const objects = turn.appliance.configuration[model.list];
    const query = objectOf(turn.data);
    if (query["all"] !== true && Object.keys(query).length === 0) {
      refuseValue(
        "MODEL_DELETE_MANY_REQUIRES_QUERY_PARAMS",
        "At least one query parameter is required to perform mass deletion.",
      );
    }
    const { limit, offset, dryRun } = turn.controls;
    const chosen =
      query["all"] === true ? found(objects, {}) : paginate(found(objects, query), limit, offset);
    const ids = chosen.map(({ id }) => id);
    const data = chosen.map(({ id, object }) => represent(model, id, object));
    if (ids.length === 0) return unchanged(turn, data);
    requireDeletable(model, objects, ids);
    if (dryRun) return unchanged(turn, data);
    const left = objects.filter((_, id) => !ids.includes(id));
    return { ...write(turn, model, left, `Deleted ${model.names[0]} via API`), data };
  };
