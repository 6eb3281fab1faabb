import { canonicalise, isJsonObject, type JsonObject, type JsonValue } from "@drydock/evidence";
import { ENDPOINTS } from "../client/index.js";
import { type Bench, jsonObject, refuses, same } from "./bench.js";
import { Finding, found } from "./checks.js";
import { malformed, NO_OBJECTS } from "./vary.js";

const METHODS = [
  "parseIntent",
  "parseTarget",
  "naturalIdentity",
  "identityOf",
  "readTarget",
  "fingerprint",
  "transportLocator",
  "buildRequest",
  "parseResponse",
  "isSemanticallyVerified",
  "buildRollbackRequest",
  "isRollbackVerified",
] as const;

const IDENTIFIER = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}$/;

/** @param adapter as it was loaded, which needn't be one. */
export const declares = (adapter: unknown): void => {
  if (typeof adapter !== "object" || adapter === null) throw new Finding("there is no adapter");
  const {
    semanticUnit,
    rollbackPlanVersion,
    capability,
    endpointSymbol,
    httpMethod,
    ...functions
  } = adapter as Record<string, unknown>;
  if (!matches(semanticUnit, /^[a-z][a-z0-9_]{0,99}_v[1-9][0-9]{0,3}$/)) {
    found("semanticUnit isn't a name in lower case that ends in _v and a number");
  }
  if (!matches(rollbackPlanVersion, IDENTIFIER)) found("rollbackPlanVersion is no identifier");
  if (!matches(capability, /^[A-Z][A-Z0-9_]{0,100}_WRITE$/)) {
    found("capability isn't a name in upper case that ends in _WRITE");
  }
  if (typeof endpointSymbol !== "string" || !Object.hasOwn(ENDPOINTS, endpointSymbol)) {
    found("endpointSymbol is none of the endpoints that may be written to");
  }
  const { methods } = ENDPOINTS[endpointSymbol as keyof typeof ENDPOINTS];
  if (!methods.some((method) => method === httpMethod)) {
    found("httpMethod isn't one that the endpoint may be written to with");
  }
  for (const method of METHODS) {
    const its: unknown = functions[method] ?? Reflect.get(adapter, method);
    if (typeof its !== "function") found(`${method} is no function`);
  }
};

const matches = (value: unknown, pattern: RegExp): boolean =>
  typeof value === "string" && pattern.test(value);

export const intentClosed = async ({ adapter, specimen }: Bench): Promise<void> => {
  for (const intent of specimen.intents) {
    for (const { what, value } of [...malformed(intent), ...NO_OBJECTS]) {
      await refuses(`an intent with ${what}`, () => adapter.parseIntent(value));
    }
  }
};

/** A letter with an accent, as two code points and as one. */
const NFD = "e\u0301";
const NFC = "\u00e9";

export const intentNfc = ({ adapter, specimen }: Bench): void => {
  for (const given of specimen.intents) {
    const once = jsonObject(adapter.parseIntent(given), "a parsed intent");
    const twice = jsonObject(adapter.parseIntent(once), "a parsed intent");
    if (!same(once, twice)) found("an intent that was parsed comes out of parsing as another");
    for (const [place, apart] of withAccent(given, NFD)) {
      const parsed = attempt(() => adapter.parseIntent(apart));
      if (parsed === null) continue;
      const text = canonicalise(jsonObject(parsed, "a parsed intent"));
      if (text !== text.normalize("NFC")) found(`${place} isn't brought into NFC`);
      const [, together] = withAccent(given, NFC).find(([other]) => other === place) ?? [];
      if (
        !same(
          parsed,
          attempt(() => adapter.parseIntent(together)),
        )
      ) {
        found(`${place} is another intent in NFC`);
      }
    }
  }
};

/** Refused is an answer as well: not every text takes an accent. */
const attempt = (act: () => unknown): unknown => {
  try {
    return act();
  } catch {
    return null;
  }
};

/** The object with one text in it made longer, for each text. */
const withAccent = (object: JsonObject, accent: string): readonly [string, JsonObject][] =>
  Object.entries(object).flatMap(([key, member]: [string, JsonValue]): [string, JsonObject][] => {
    if (typeof member === "string") return [[key, { ...object, [key]: `${member}${accent}` }]];
    if (!isJsonObject(member)) return [];
    return withAccent(member, accent).map(([place, inner]) => [
      `${key}.${place}`,
      { ...object, [key]: inner },
    ]);
  });

export const identity = async (bench: Bench): Promise<void> => {
  const { adapter } = bench;
  const [first, second] = ([0, 1] as const).map((which) =>
    jsonObject(adapter.naturalIdentity(bench.intent(which)), "an identity"),
  );
  if (!same(first, second)) found("the specimen's two intents have two identities");
  const read = jsonObject(adapter.identityOf(await bench.read()), "an identity");
  if (!same(first, read)) found("what was read has another identity than what was asked for");
};

/** Planted where an intent or an answer is wrong; nothing of it may come out. */
const CANARY = "drydock-canary-5f2c";

export const errorsValueFree = async (bench: Bench): Promise<void> => {
  const { adapter, appliance, specimen } = bench;
  const intents = specimen.intents.flatMap((intent) => [
    { ...intent, [CANARY]: CANARY },
    ...Object.keys(intent).map((key) => ({ ...intent, [key]: [CANARY] })),
  ]);
  for (const intent of intents) await silent("parseIntent", () => adapter.parseIntent(intent));
  const { read } = bench;
  appliance.distort = () => ({ status: 200, body: { data: CANARY, [CANARY]: CANARY } });
  await silent("readTarget", () => read.call(bench));
  appliance.distort = () => ({ status: 500, body: CANARY });
  await silent("readTarget", () => read.call(bench));
  for (const value of [CANARY, { [CANARY]: CANARY }]) {
    await silent("parseTarget", () => adapter.parseTarget(value));
    await silent("parseResponse", () => adapter.parseResponse(value));
  }
};

const silent = async (where: string, act: () => unknown): Promise<void> => {
  try {
    await act();
  } catch (error) {
    if (shown(error, 4).includes(CANARY)) found(`an error of ${where} holds what was refused`);
    return;
  }
  found(`${where} takes something that is nothing of its own`);
};

/** Whatever of an error could be printed, its causes and own keys with it. */
const shown = (error: unknown, depth: number): string => {
  if (depth === 0 || typeof error !== "object" || error === null) return String(error);
  const own = Object.getOwnPropertyNames(error).map((key) => [key, Reflect.get(error, key)]);
  return own.map(([key, value]) => `${key} ${shown(value, depth - 1)}`).join(" ");
};
