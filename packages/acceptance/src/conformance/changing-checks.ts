import { canonicalise, type JsonObject, parseJson } from "@drydock/evidence";
import { canonicalBytes } from "../canonical/index.js";
import type { ApplianceRequest } from "../client/index.js";
import { type Bench, frozen, isRefused, jsonObject, refuses, same } from "./bench.js";
import { found } from "./checks.js";
import { malformed, NO_OBJECTS, others } from "./vary.js";

const REQUEST_KEYS = ["body", "endpoint", "method"];

const checkedShape = ({ adapter }: Bench, request: unknown): ApplianceRequest => {
  const shape = jsonObject(request, "a request");
  if (!same(Object.keys(shape).sort(), REQUEST_KEYS)) {
    found("a request isn't one object of method, endpoint and body");
  }
  if (shape["method"] !== adapter.httpMethod) found("a request has another method than declared");
  if (shape["endpoint"] !== adapter.endpointSymbol) found("a request goes to another endpoint");
  jsonObject(shape["body"], "a request's body");
  return request as ApplianceRequest;
};

export const oneRequest = async (bench: Bench): Promise<void> => {
  const target = await bench.read();
  for (const which of [0, 1] as const) {
    checkedShape(bench, bench.adapter.buildRequest(bench.intent(which), target));
  }
  const changed = await bench.change();
  checkedShape(bench, bench.adapter.buildRollbackRequest(target, changed));
};

const keysOf = ({ body }: ApplianceRequest): readonly string[] => Object.keys(body).sort();

const SMUGGLED = "drydock_smuggled";

export const requestClosed = async (bench: Bench): Promise<void> => {
  const { adapter } = bench;
  const target = await bench.read();
  const requests = ([0, 1] as const).map((which) =>
    adapter.buildRequest(bench.intent(which), target),
  );
  const [keys = []] = requests.map(keysOf);
  if (requests.some((request) => !same(keysOf(request), keys))) {
    found("two intents make requests with different keys");
  }
  const overfull = { ...bench.intent(), [SMUGGLED]: SMUGGLED };
  const wide = { ...target, [SMUGGLED]: SMUGGLED };
  for (const [intent, from] of [
    [overfull, target],
    [bench.intent(), wide],
  ] as const) {
    const what = "an unknown key of an intent or a target";
    if (await isRefused(what, () => adapter.buildRequest(intent, from))) continue;
    const request = adapter.buildRequest(intent, from);
    if (canonicalise(request).includes(SMUGGLED)) found(`${what} gets into the request`);
  }
};

/** Keys in which two objects differ. */
const differing = (a: JsonObject, b: JsonObject): readonly string[] =>
  [...new Set([...Object.keys(a), ...Object.keys(b)])].filter(
    (key) => !same(a[key] ?? null, b[key] ?? null),
  );

export const changesOneTarget = async (bench: Bench): Promise<void> => {
  const { appliance, specimen } = bench;
  const place = await bench.place();
  const before = [...appliance.objects];
  await bench.change();
  if (appliance.objects.length !== before.length) found("the number of objects is another");
  appliance.objects.forEach((object, at) => {
    const keys = differing(before[at] ?? {}, object);
    if (at !== place && keys.length > 0) found("an object that isn't the target is changed");
    const beyond = keys.filter((key) => !specimen.changes.includes(key));
    if (beyond.length > 0) found(`the request changes ${beyond.join(", ")} as well`);
    if (at === place && keys.length === 0) found("the request changes nothing");
  });
};

export const refusesNoOp = async (bench: Bench): Promise<void> => {
  for (const which of [0, 1] as const) {
    const target = await bench.change(which);
    await refuses("an intent that is done already", () =>
      bench.adapter.buildRequest(bench.intent(which), target),
    );
  }
};

export const responseClosed = async (bench: Bench): Promise<void> => {
  const { adapter, appliance } = bench;
  const request = adapter.buildRequest(bench.intent(), await bench.read());
  const { body } = appliance.apply(request);
  const answer = jsonObject(body, "the appliance's response");
  const heard = jsonObject(adapter.parseResponse(answer), "a parsed response");
  if (!same(heard, await bench.read())) found("the response is understood as another target");
  for (const { what, value } of malformed(jsonObject(answer["data"], "the response's data"))) {
    await refuses(`a response with ${what}`, () =>
      adapter.parseResponse({ ...answer, data: value }),
    );
  }
  for (const { what, value } of NO_OBJECTS) {
    await refuses(`a response with ${what}`, () => adapter.parseResponse(value));
  }
};

/** Everything that a target could be instead, one field changed each, as the adapter reads it. */
const near = async (bench: Bench): Promise<readonly [string, JsonObject][]> => {
  const { appliance } = bench;
  const { objects } = appliance;
  const place = await bench.place();
  const read: [string, JsonObject][] = [];
  for (const [key, value] of Object.entries(objects[place] ?? {})) {
    for (const other of others(value)) {
      appliance.objects = objects.with(place, { ...objects[place], [key]: other });
      if (await isRefused(`another ${key}`, () => bench.read())) continue;
      read.push([key, await bench.read()]);
    }
  }
  appliance.objects = objects;
  return read;
};

export const verifiesExactly = async (bench: Bench): Promise<void> => {
  const { adapter, appliance } = bench;
  const pre = await bench.read();
  const { objects } = appliance;
  for (const which of [0, 1] as const) {
    appliance.objects = [...objects];
    const intent = bench.intent(which);
    const post = await bench.change(which);
    if (adapter.isSemanticallyVerified(pre, post, intent) !== true) {
      found("what the intent asks for isn't verified");
    }
    if (adapter.isSemanticallyVerified(pre, pre, intent) !== false) {
      found("a target that didn't change is verified");
    }
    if (adapter.isSemanticallyVerified(pre, post, bench.intent(which === 0 ? 1 : 0)) !== false) {
      found("what another intent asks for is verified");
    }
    for (const [key, other] of await near(bench)) {
      if (adapter.isSemanticallyVerified(pre, other, intent) !== false) {
        found(`a target with another ${key} is verified`);
      }
    }
  }
};

export const snapshot = async (bench: Bench): Promise<void> => {
  const { adapter } = bench;
  const target = await bench.read();
  const back = adapter.parseTarget(parseJson(canonicalBytes(target)));
  if (!same(target, back)) found("a target isn't the same when it comes back");
  for (const { what, value } of [...malformed(target), ...NO_OBJECTS]) {
    await refuses(`a snapshot with ${what}`, () => adapter.parseTarget(value));
  }
};

export const rollback = async (bench: Bench): Promise<void> => {
  const { adapter, appliance } = bench;
  const before = canonicalise(appliance.objects);
  const target = await bench.read();
  for (const which of [0, 1] as const) {
    const changed = await bench.change(which);
    const request = checkedShape(bench, adapter.buildRollbackRequest(target, changed));
    appliance.apply(request);
    if (canonicalise(appliance.objects) !== before) found("something isn't as it was");
    if (adapter.isRollbackVerified(target, await bench.read()) !== true) {
      found("what is as it was isn't verified");
    }
  }
};

export const verifiesRollbackExactly = async (bench: Bench): Promise<void> => {
  const { adapter } = bench;
  const target = await bench.read();
  for (const [key, other] of await near(bench)) {
    if (adapter.isRollbackVerified(target, other) !== false) {
      found(`a target with another ${key} is taken for the snapshot`);
    }
  }
  if (adapter.isRollbackVerified(target, await bench.change()) !== false) {
    found("the changed target is taken for the snapshot");
  }
};

/** Everything that an adapter says about one change, in one order or the other. */
const transcript = async (bench: Bench, order: readonly (0 | 1)[]): Promise<string> => {
  const { adapter, appliance } = bench;
  const start = [...appliance.objects];
  const said: string[] = [];
  for (const which of order) {
    appliance.objects = [...start];
    const target = await bench.read();
    const intent = bench.intent(which);
    const post = await bench.change(which);
    said[which] = canonicalise([
      intent,
      jsonObject(adapter.naturalIdentity(intent), "an identity"),
      target,
      jsonObject(adapter.fingerprint(target), "a fingerprint"),
      adapter.transportLocator(target),
      jsonObject(adapter.buildRequest(intent, target), "a request"),
      jsonObject(adapter.fingerprint(post), "a fingerprint"),
      jsonObject(adapter.buildRollbackRequest(target, post), "a request"),
      adapter.isSemanticallyVerified(target, post, intent),
      adapter.isRollbackVerified(target, post),
    ]);
  }
  appliance.objects = start;
  return said.join("\n");
};

/**
 * Several lives: two new adapters that see the intents in one order and in the other, and one that
 * goes on in a world in which everything has another number.
 */
export const stateless = async (make: () => Promise<Bench>): Promise<void> => {
  const used = await make();
  const forwards = await transcript(used, [0, 1]);
  const backwards = await transcript(await make(), [1, 0]);
  if (forwards !== backwards) found("the order of calls makes a difference");
  if (forwards !== (await transcript(used, [0, 1]))) found("a second time is another");
  const elsewhere = async (bench: Bench): Promise<string> => {
    bench.appliance.objects = [...bench.appliance.objects].reverse();
    return transcript(bench, [0, 1]);
  };
  if ((await elsewhere(used)) !== (await elsewhere(await make()))) {
    found("what was seen before makes a difference");
  }
};

/** Frozen arguments make a change of them throw; what is only looked at afterwards is compared. */
export const leavesArguments = async (bench: Bench): Promise<void> => {
  const { adapter, specimen } = bench;
  const given = structuredClone(specimen.intents[0]);
  const intent = adapter.parseIntent(given);
  if (!same(given, specimen.intents[0])) found("parseIntent changes what it is given");
  const pre = jsonObject(await bench.read(), "what was read");
  const post = jsonObject(await bench.change(), "what was read");
  const before = canonicalise([intent, pre, post]);
  adapter.naturalIdentity(intent);
  adapter.fingerprint(pre);
  adapter.buildRequest(intent, pre);
  adapter.isSemanticallyVerified(pre, post, intent);
  adapter.buildRollbackRequest(pre, post);
  adapter.isRollbackVerified(pre, post);
  if (canonicalise([intent, pre, post]) !== before) found("a function changes its arguments");
  const body = jsonObject(adapter.buildRequest(intent, pre).body, "a request's body");
  frozen(body);
  if (!same(body, adapter.buildRequest(intent, pre).body)) found("two requests aren't the same");
};
