import type { JsonObject } from "@drydock/evidence";
import { commit, type Stored, type Subsystem } from "../configuration/index.js";
import { type Field, readBack, shown, validateObject } from "../field/index.js";
import { type Handler, surroundingsOf, unchanged } from "./handler.js";
import { objectOf } from "./objects.js";

/** A part of the configuration that there is one of, and that has no id. */
export interface Alone {
  readonly part: "settings" | "outboundMode";
  readonly name: string;
  readonly subsystem: Subsystem | null;
  readonly fields: readonly Field[];
}

export const readAlone =
  ({ part, fields }: Alone): Handler =>
  (turn) =>
    unchanged(turn, shown(fields, turn.appliance.configuration[part]));

export const updateAlone =
  ({ part, name, subsystem, fields }: Alone): Handler =>
  (turn) => {
    const { appliance, client, seconds } = turn;
    const initial = appliance.configuration[part];
    const requested = { ...initial, ...known(fields, objectOf(turn.data)) };
    const object = validateObject(fields, requested, [], { ...surroundingsOf(turn), initial });
    const data = shown(fields, object);
    if (turn.controls.dryRun) return unchanged(turn, data);
    const written = commit(appliance, {
      configuration: { ...appliance.configuration, [part]: readBack(fields, object) },
      note: `Modified ${name} via API`,
      subsystem,
      by: client,
      seconds,
    });
    return { appliance: written, data, effects: [{ kind: "persist" }] };
  };

const known = (fields: readonly Field[], data: JsonObject): Stored =>
  Object.fromEntries(
    fields.flatMap(({ name }) => (Object.hasOwn(data, name) ? [[name, data[name] ?? null]] : [])),
  );
