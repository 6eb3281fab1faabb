import type { JsonObject } from "@drydock/evidence";
import { READ_PATHS } from "../client/index.js";
import { type Bench, isRefused, jsonObject, refuses, same } from "./bench.js";
import { found } from "./checks.js";
import { malformed, NO_OBJECTS, others } from "./vary.js";

/** A target's number after everything before it went away, or something came before it. */
const renumber = (bench: Bench, place: number): void => {
  const { objects } = bench.appliance;
  bench.appliance.objects =
    place > 0 ? [...objects.slice(place), ...objects.slice(0, place)] : [...objects].reverse();
};

export const findsByIdentity = async (bench: Bench): Promise<void> => {
  if (bench.specimen.appliance.kind === "singleton") return;
  const { adapter, appliance } = bench;
  if (appliance.objects.length < 3) found("the specimen's list has fewer than three objects");
  const before = await bench.read();
  const place = await bench.place();
  renumber(bench, place);
  const after = await bench.read();
  if (!same(adapter.identityOf(before), adapter.identityOf(after))) {
    found("another object is read when the target's number is another");
  }
  if (adapter.transportLocator(after) !== (await bench.place())) {
    found("the number isn't read afresh when it is another");
  }
};

export const refusesAbsent = async (bench: Bench): Promise<void> => {
  const place = await bench.place();
  bench.appliance.objects.splice(place, 1);
  await refuses("no target", () => bench.read());
};

export const refusesDuplicate = async (bench: Bench): Promise<void> => {
  if (bench.specimen.appliance.kind === "singleton") return;
  const target = bench.appliance.objects[await bench.place()] ?? {};
  const [change = ""] = bench.specimen.changes;
  const [other = null] = others(target[change] ?? null);
  for (const twin of [target, { ...target, [change]: other }]) {
    for (const put of ["push", "unshift"] as const) {
      const { objects } = bench.appliance;
      bench.appliance.objects = put === "push" ? [...objects, twin] : [twin, ...objects];
      await refuses("a second target", () => bench.read());
      bench.appliance.objects = objects;
    }
  }
};

/** For a target, whatever pages or details it takes. */
const MAX_READS = 16;

export const onlyReads = async (bench: Bench): Promise<void> => {
  await bench.read();
  const { reads, writes } = bench.appliance;
  if (writes.length > 0) found("readTarget writes");
  if (reads.length === 0) found("readTarget reads nothing");
  if (reads.length > MAX_READS) found(`readTarget reads more than ${MAX_READS} times`);
  if (reads.some((path) => !READ_PATHS.some((listed) => listed === path))) {
    found("readTarget reads a path that isn't listed");
  }
};

export const readsAfresh = async (bench: Bench): Promise<void> => {
  const [key = ""] = bench.specimen.changes;
  const before = await bench.read();
  await bench.change();
  if (same(before, await bench.read())) found(`${key} was changed, and is read as it was`);
};

export const answerClosed = async (bench: Bench): Promise<void> => {
  const { appliance } = bench;
  const place = await bench.place();
  await bench.read();
  const shown = await shownTarget(bench, place);
  for (const { what, value } of [...malformed(shown), ...NO_OBJECTS]) {
    appliance.disguise = (object) =>
      "id" in object && object["id"] !== place ? object : (value as JsonObject);
    await refuses(`a target with ${what}`, () => bench.read());
  }
  appliance.disguise = (object) => object;
  for (const body of [null, "text", 7, [], {}, { data: null }, { data: "text" }]) {
    appliance.distort = () => ({ status: 200, body });
    await refuses("an answer of another shape", () => bench.read());
  }
};

const shownTarget = async ({ appliance }: Bench, place: number): Promise<JsonObject> => {
  const { body } = await appliance.get(appliance.model.readPath);
  const { data } = body as { readonly data: JsonObject | readonly JsonObject[] };
  const target: unknown = Array.isArray(data) ? data[place] : data;
  return jsonObject(target, "the specimen's target");
};

export const answerStatus = async (bench: Bench): Promise<void> => {
  const { appliance } = bench;
  for (const status of [204, 301, 401, 403, 404, 405, 429, 500, 503]) {
    appliance.distort = ({ body }) => ({ status, body });
    await refuses(`status ${status}`, () => bench.read());
  }
};

export const fingerprint = async (bench: Bench): Promise<void> => {
  const { adapter, appliance } = bench;
  const { objects } = appliance;
  const place = await bench.place();
  const before = jsonObject(adapter.fingerprint(await bench.read()), "a fingerprint");
  for (const [key, value] of Object.entries(objects[place] ?? {})) {
    for (const other of others(value)) {
      appliance.objects = objects.with(place, { ...objects[place], [key]: other });
      const what = `another ${key}`;
      if (await isRefused(what, () => bench.read())) continue;
      if (same(before, adapter.fingerprint(await bench.read()))) {
        found(`${what} leaves the fingerprint as it is`);
      }
    }
  }
  appliance.objects = objects;
  if (bench.specimen.appliance.kind === "singleton") return;
  renumber(bench, place);
  if (!same(before, adapter.fingerprint(await bench.read()))) {
    found("another number makes another fingerprint");
  }
};

const MAX_LOCATOR = 2 ** 31 - 1;

export const locator = async (bench: Bench): Promise<void> => {
  const number = bench.adapter.transportLocator(await bench.read());
  if (!Number.isInteger(number) || number < 0 || number > MAX_LOCATOR) {
    found("transportLocator is no integer from 0 to 2^31 - 1");
  }
  if (bench.specimen.appliance.kind === "collection" && number !== (await bench.place())) {
    found("transportLocator isn't the target's number");
  }
};
