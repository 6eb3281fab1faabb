import type { JsonObject, JsonValue } from "@drydock/evidence";
import { refuse, refuseValue } from "../answer/index.js";
import { type Appliance, commit, type Stored } from "../configuration/index.js";
import { findById, MAX_OBJECTS, type Model, validateObject } from "../field/index.js";
import {
  applyNow,
  type Handler,
  type Outcome,
  surroundingsOf,
  type Turn,
  unchanged,
  wantsApply,
} from "./handler.js";
import { idIn, objectOf, placed, represent, siblingsOf, withList } from "./objects.js";

const listOf = ({ appliance }: Turn, { list }: Model): readonly Stored[] =>
  appliance.configuration[list];

const requireId = (data: JsonObject): void => {
  if (!Object.hasOwn(data, "id")) refuseValue("MODEL_REQUIRES_ID", "Field 'id' is required.");
};

export const readOne =
  (model: Model): Handler =>
  (turn) => {
    const data = objectOf(turn.data);
    requireId(data);
    const objects = listOf(turn, model);
    const id = idIn(objects, data);
    return unchanged(turn, represent(model, id, objects[id] ?? {}));
  };

/** How a new object's answer differs from the object: a key is in it, once. */
export interface CreateOptions {
  readonly extend?: (object: Stored, turn: Turn) => { object: Stored; shown: JsonObject };
  readonly besides?: (appliance: Appliance) => Appliance;
}

export const createOne =
  (model: Model, { extend, besides = (appliance) => appliance }: CreateOptions = {}): Handler =>
  (turn) => {
    const data = objectOf(turn.data);
    const objects = listOf(turn, model);
    const object = finished(model, turn, data, null, siblingsOf(objects, null));
    if (objects.length >= MAX_OBJECTS) {
      refuse(403, "MODEL_MANY_MAXIMUM_REACHED", `No more than ${MAX_OBJECTS} objects.`);
    }
    const extended = extend?.(object, turn) ?? { object, shown: {} };
    const id = objects.length;
    if (turn.controls.dryRun) {
      return unchanged(turn, { ...represent(model, id, object), ...extended.shown });
    }
    const moved = placed([...objects, extended.object], id, data["placement"] ?? null, model);
    const written = write(turn, model, moved.objects, `Added ${model.names[0]} via API`);
    return {
      ...written,
      appliance: besides(written.appliance),
      data: { ...represent(model, moved.id, extended.object), ...extended.shown },
    };
  };

/** Merges what was sent into the object, and validates the whole of it. */
export const updateOne =
  (model: Model): Handler =>
  (turn) => {
    const data = objectOf(turn.data);
    requireId(data);
    const objects = listOf(turn, model);
    const id = idIn(objects, data);
    const initial = objects[id] ?? {};
    const requested = { ...initial, ...knownOf(model, merged(turn, model, initial, data)) };
    const object = finished(model, turn, requested, initial, siblingsOf(objects, id));
    if (turn.controls.dryRun) return unchanged(turn, represent(model, id, object));
    const moved = placed(objects.with(id, object), id, data["placement"] ?? null, model);
    return {
      ...write(turn, model, moved.objects, `Modified ${model.names[0]} via API`),
      data: represent(model, moved.id, object),
    };
  };

export const deleteOne =
  (model: Model): Handler =>
  (turn) => {
    const data = objectOf(turn.data);
    requireId(data);
    const objects = listOf(turn, model);
    const id = findById(objects, data["id"] ?? null);
    requireDeletable(model, objects, [id]);
    const shown = represent(model, id, objects[id] ?? {});
    if (turn.controls.dryRun) return unchanged(turn, shown);
    const left = objects.filter((_, index) => index !== id);
    return { ...write(turn, model, left, `Deleted ${model.names[0]} via API`), data: shown };
  };

/** @throws ApiRefusal when one of them has to stay, or too few would */
export const requireDeletable = (
  { mayDelete, minimum = 0 }: Model,
  objects: readonly Stored[],
  ids: readonly number[],
): void => {
  if (minimum > 0 && objects.length - ids.length < minimum) {
    refuse(
      403,
      "MODEL_MANY_MINIMUM_REACHED",
      `Object deletion denied. Fewer than the minimum of ${minimum} objects would be left.`,
    );
  }
  for (const id of ids) mayDelete?.(objects[id] ?? {});
};

const knownOf = ({ fields }: Model, data: JsonObject): Stored =>
  Object.fromEntries(
    fields.flatMap(({ name }) => (Object.hasOwn(data, name) ? [[name, data[name] ?? null]] : [])),
  );

/** `append` and `remove` change lists, instead of replacing them. */
const merged = (
  { controls }: Turn,
  { fields }: Model,
  initial: Stored,
  data: JsonObject,
): JsonObject => {
  if (!controls.append && !controls.remove) return data;
  const result: Record<string, JsonValue> = { ...data };
  for (const { name, many } of fields) {
    const sent = Object.hasOwn(data, name) ? data[name] : null;
    const before = initial[name];
    if (many === undefined || !Array.isArray(sent) || !Array.isArray(before)) continue;
    const appended = controls.append ? [...before, ...sent] : sent;
    result[name] = controls.remove ? before.filter((one) => !appended.includes(one)) : appended;
  }
  return result;
};

/** Validated, and as the model stores it. */
export const finished = (
  model: Model,
  turn: Turn,
  requested: Stored,
  initial: Stored | null,
  siblings: Parameters<typeof validateObject>[2],
): Stored => {
  const surroundings = { ...surroundingsOf(turn), initial };
  const object = validateObject(model.fields, requested, siblings, surroundings);
  return model.finish?.(object, { ...surroundings, object }) ?? object;
};

/** Writes a list, and applies it where that is asked for or always done. */
export const write = (
  turn: Turn,
  model: Model,
  objects: readonly Stored[],
  note: string,
): Omit<Outcome, "data"> => {
  const { appliance, client, seconds } = turn;
  const written = commit(appliance, {
    configuration: withList(appliance.configuration, model, objects),
    note,
    subsystem: model.subsystem,
    by: client,
    seconds,
  });
  const apply = model.alwaysApply === true || wantsApply(turn);
  const next = apply
    ? applyNow(turn, written, model.subsystem)
    : { appliance: written, effects: [] };
  return { appliance: next.appliance, effects: [{ kind: "persist" }, ...next.effects] };
};
