import {
  canonicalise,
  isDrydockError,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "@drydock/evidence";
import { ADAPTER_CODES, type CapabilityAdapter } from "../adapter/index.js";
import type { ReadClient } from "../client/index.js";
import { found } from "./checks.js";
import { MemoryAppliance } from "./model.js";
import type { Specimen } from "./specimen.js";

export type AnyAdapter = CapabilityAdapter<JsonObject, JsonObject>;

/** An adapter and an appliance for one check, both new. */
export class Bench {
  readonly adapter: AnyAdapter;
  readonly specimen: Specimen;
  readonly appliance: MemoryAppliance;

  constructor(adapter: AnyAdapter, specimen: Specimen) {
    this.adapter = adapter;
    this.specimen = specimen;
    this.appliance = new MemoryAppliance(specimen.appliance);
  }

  intent(which: 0 | 1 = 0): JsonObject {
    return frozen(this.adapter.parseIntent(this.specimen.intents[which]));
  }

  /** Reads through a client of which nothing but `get` can be used. */
  async read(client: ReadClient = this.appliance): Promise<JsonObject> {
    const identity = frozen(this.adapter.naturalIdentity(this.intent()));
    const target = await this.adapter.readTarget(getOnly(client), identity);
    return frozen(jsonObject(target, "what was read"));
  }

  /** The target's place among the appliance's objects. */
  async place(): Promise<number> {
    if (this.specimen.appliance.kind === "singleton") return 0;
    const { nameKey } = this.specimen.appliance;
    const target = await this.read();
    const name = canonicalise(target[nameKey] ?? null);
    const place = this.appliance.objects.findIndex(
      (object) => canonicalise(object[nameKey] ?? null) === name,
    );
    return place < 0 ? found(`no object has the ${nameKey} of what was read`) : place;
  }

  /** Changes one field of the target behind the adapter's back. */
  async edit(key: string, value: JsonValue): Promise<void> {
    const place = await this.place();
    this.appliance.objects[place] = { ...this.appliance.objects[place], [key]: value };
  }

  /** Does what an intent asks for. */
  async change(which: 0 | 1 = 0): Promise<JsonObject> {
    const target = await this.read();
    const request = this.adapter.buildRequest(this.intent(which), target);
    this.appliance.apply(request);
    return this.read();
  }
}

/** Any other use of the client is a finding, also a look at whether it could do more. */
const getOnly = (client: ReadClient): ReadClient =>
  new Proxy<ReadClient>(
    { get: (path, query) => client.get(path, query) },
    {
      get: (target, key) =>
        key === "get" || key === "then" || typeof key === "symbol"
          ? Reflect.get(target, key)
          : found(`readTarget reaches for the client's ${key}`),
      set: (_, key) => found(`readTarget sets the client's ${String(key)}`),
    },
  );

/** @param what of the adapter's it is. */
export const jsonObject = (value: unknown, what: string): JsonObject => {
  try {
    const copy = JSON.parse(canonicalise(value)) as JsonValue;
    if (isJsonObject(copy)) return copy;
  } catch {
    // Why it is no JSON may hold a value.
  }
  return found(`${what} isn't a JSON object of integers, well-formed text and plain objects`);
};

/** So that whoever changes what it was given is caught by the language. */
export const frozen = <T>(value: T): T => {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) frozen(member);
  }
  return value;
};

export const same = (a: unknown, b: unknown): boolean => canonicalise(a) === canonicalise(b);

/** Demands that `act` refuses as an adapter does. */
export const refuses = async (what: string, act: () => unknown): Promise<void> => {
  try {
    await act();
  } catch (error) {
    if (isRefusal(error)) return;
    rethrowFinding(error);
    found(`${what}: ${shortName(error)} and no AdapterError`);
  }
  found(`${what} is accepted`);
};

/** Whether `act` refuses; what else it throws is a finding. */
export const isRefused = async (what: string, act: () => unknown): Promise<boolean> => {
  try {
    await act();
    return false;
  } catch (error) {
    if (isRefusal(error)) return true;
    rethrowFinding(error);
    return found(`${what}: ${shortName(error)} and no AdapterError`);
  }
};

export const isRefusal = (error: unknown): boolean =>
  isDrydockError(error) && Object.hasOwn(ADAPTER_CODES, String(error.code));

const rethrowFinding = (error: unknown): void => {
  if (error instanceof Error && error.name === "Finding") throw error;
};

/** Of an error class; an adapter's own may be called anything. */
export const shortName = (error: unknown): string => {
  const name = error instanceof Error ? error.name : typeof error;
  return /^[A-Za-z]{1,40}$/.test(name) ? name : "an error";
};
