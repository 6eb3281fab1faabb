import assert from "node:assert/strict";
import { test } from "node:test";
import { DrydockError, type JsonObject } from "@drydock/evidence";
import { AdapterError, type CapabilityAdapter } from "../adapter/index.js";
import { pfsenseAliasDescription } from "../adapters/pfsense-alias-description/index.js";
import { syntheticNotice } from "../adapters/synthetic-notice/index.js";
import type { ReadClient } from "../client/index.js";
import { CONFORMANCE_CHECKS, type ConformanceCheck } from "./checks.js";
import { checkConformance } from "./run.js";
import { aliasSpecimen, noticeSpecimen } from "./testing/specimens.js";

type Adapter = CapabilityAdapter<JsonObject, JsonObject>;

const alias = pfsenseAliasDescription as unknown as Adapter;
const notice = syntheticNotice as unknown as Adapter;

for (const [adapter, specimen] of [
  [alias, aliasSpecimen],
  [notice, noticeSpecimen],
] as const) {
  test(`${adapter.semanticUnit} conforms`, async () => {
    const { conforms, results } = await checkConformance(async () => adapter, specimen);
    assert.deepEqual(
      results.filter(({ ok }) => !ok),
      [],
    );
    assert.equal(conforms, true);
    assert.deepEqual(
      results.map(({ check }) => check),
      Object.keys(CONFORMANCE_CHECKS),
    );
  });
}

/** The rows of an answer, as an adapter that doesn't look closely takes them. */
const rows = async (client: ReadClient): Promise<JsonObject[]> => {
  const { body } = await client.get("/api/v2/firewall/aliases");
  return [...(body as { data: JsonObject[] }).data];
};

const nameOf = ({ alias_name }: JsonObject) => alias_name;

/** Each is the alias adapter with one thing wrong, and the checks that have to say so. */
const BROKEN: readonly (readonly [
  what: string,
  make: () => Partial<Adapter>,
  caught: readonly ConformanceCheck[],
])[] = [
  [
    "matches by numeric id, which it remembers",
    () => {
      let id: unknown;
      return {
        readTarget: async (client, identity) => {
          const all = await rows(client);
          const row = all.find((one) =>
            id === undefined ? one["name"] === nameOf(identity) : one["id"] === id,
          );
          id = row?.["id"];
          if (row === undefined) throw new AdapterError("TARGET_ABSENT");
          return alias.parseTarget(row);
        },
      };
    },
    ["FINDS_BY_IDENTITY"],
  ],
  [
    "matches by a numeric id that is written into it",
    () => ({
      readTarget: async (client) => {
        const row = (await rows(client)).find(({ id }) => id === 1);
        if (row === undefined) throw new AdapterError("TARGET_ABSENT");
        return alias.parseTarget(row);
      },
    }),
    ["FINDS_BY_IDENTITY", "REFUSES_ABSENT"],
  ],
  [
    "writes while it reads",
    () => ({
      readTarget: async (client, identity) => {
        const target = await alias.readTarget(client, identity);
        const writer = client as unknown as { send(request: unknown): Promise<unknown> };
        await writer.send(alias.buildRequest(alias.parseIntent(aliasSpecimen.intents[0]), target));
        return target;
      },
    }),
    ["ONLY_READS"],
  ],
  [
    "writes twice",
    () => ({
      buildRequest: (intent, target) => {
        const request = alias.buildRequest(intent, target);
        return [request, request] as never;
      },
    }),
    ["ONE_REQUEST"],
  ],
  [
    "writes elsewhere",
    () => ({
      buildRequest: (intent, target) => ({
        ...alias.buildRequest(intent, target),
        endpoint: "SYNTHETIC_NOTICE",
      }),
    }),
    ["ONE_REQUEST"],
  ],
  [
    "takes the first of two",
    () => ({
      readTarget: async (client, identity) => {
        const row = (await rows(client)).find(({ name }) => name === nameOf(identity));
        if (row === undefined) throw new AdapterError("TARGET_ABSENT");
        return alias.parseTarget(row);
      },
    }),
    ["REFUSES_DUPLICATE"],
  ],
  [
    "keeps what it read",
    () => {
      let kept: Promise<JsonObject> | undefined;
      return {
        readTarget: (client, identity) => {
          kept ??= alias.readTarget(client, identity);
          return kept;
        },
      };
    },
    ["READS_AFRESH"],
  ],
  [
    "counts its requests",
    () => {
      let count = 0;
      return {
        buildRequest: (intent, target) => {
          const request = alias.buildRequest(intent, target);
          count += 1;
          return {
            ...request,
            body: { ...request.body, descr: `${request.body["descr"]}${count}` },
          };
        },
      };
    },
    ["STATELESS"],
  ],
  [
    "sends whatever an intent holds",
    () => ({
      buildRequest: (intent, target) => {
        const { method, endpoint, body } = alias.buildRequest(intent, target);
        const { operation: _, raw_target_hint: __, new_description: ___, ...rest } = intent;
        return { method, endpoint, body: { ...rest, ...body } };
      },
    }),
    ["REQUEST_CLOSED"],
  ],
  [
    "sends whatever a target holds",
    () => ({
      buildRequest: (intent, target) => {
        const { method, endpoint, body } = alias.buildRequest(intent, target);
        return { method, endpoint, body: { ...target, ...body } };
      },
    }),
    ["REQUEST_CLOSED"],
  ],
  [
    "changes another field as well",
    () => ({
      buildRequest: (intent, target) => {
        const { method, endpoint, body } = alias.buildRequest(intent, target);
        return { method, endpoint, body: { ...body, detail: [] } };
      },
    }),
    ["CHANGES_ONE_TARGET"],
  ],
  [
    "takes unknown keys of an intent",
    () => ({
      parseIntent: (value) => {
        const { operation, raw_target_hint, new_description } = value as JsonObject;
        return alias.parseIntent({ operation, raw_target_hint, new_description });
      },
    }),
    ["INTENT_CLOSED"],
  ],
  [
    "leaves text as it was typed",
    () => ({
      parseIntent: (value) => {
        const parsed = alias.parseIntent(value);
        return { ...parsed, new_description: (value as JsonObject)["new_description"] ?? "" };
      },
    }),
    ["INTENT_NFC"],
  ],
  [
    "leaves the details out of the fingerprint",
    () => ({
      fingerprint: (target) => {
        const { detail: _, ...rest } = alias.fingerprint(target);
        return rest;
      },
    }),
    ["FINGERPRINT"],
  ],
  [
    "has members in any order in the fingerprint",
    () => ({
      fingerprint: (target) => ({
        ...alias.fingerprint(target),
        address: [...(target["address"] as string[])].sort(),
        detail: [...(target["detail"] as string[])].sort(),
      }),
    }),
    ["FINGERPRINT"],
  ],
  [
    "has the number in the fingerprint",
    () => ({ fingerprint: (target) => target }),
    ["FINGERPRINT"],
  ],
  [
    "gives out another number",
    () => ({ transportLocator: (target) => alias.transportLocator(target) + 1 }),
    ["LOCATOR"],
  ],
  [
    "takes an answer whatever its status is",
    () => ({
      readTarget: (client, identity) =>
        alias.readTarget(
          { get: async (path, query) => ({ ...(await client.get(path, query)), status: 200 }) },
          identity,
        ),
    }),
    ["ANSWER_STATUS"],
  ],
  [
    "takes a target with unknown keys",
    () => ({
      readTarget: (client, identity) =>
        alias.readTarget(
          {
            get: async (path, query) => {
              const { status, body } = await client.get(path, query);
              const { data, ...envelope } = body as { data: JsonObject[] };
              const known = data?.map?.(({ drydock_extra: _, ...row }) => row);
              return { status, body: { ...envelope, data: known } };
            },
          },
          identity,
        ),
    }),
    ["ANSWER_CLOSED"],
  ],
  [
    "sends what is there already",
    () => ({
      buildRequest: ({ new_description }, { id }) => ({
        method: "PATCH",
        endpoint: "FIREWALL_ALIAS",
        body: { id: id ?? 0, descr: new_description ?? "", apply: false },
      }),
    }),
    ["REFUSES_NO_OP"],
  ],
  [
    "looks at the one field alone",
    () => ({
      isSemanticallyVerified: (_, post, intent) => post["descr"] === intent["new_description"],
    }),
    ["VERIFIES_EXACTLY"],
  ],
  [
    "believes what it is told",
    () => ({ isSemanticallyVerified: () => true }),
    ["VERIFIES_EXACTLY"],
  ],
  [
    "looks at the one field alone on the way back",
    () => ({ isRollbackVerified: (snapshot, post) => snapshot["descr"] === post["descr"] }),
    ["VERIFIES_ROLLBACK_EXACTLY"],
  ],
  [
    "rolls back to nothing",
    () => ({
      buildRollbackRequest: (snapshot, target) =>
        alias.buildRollbackRequest({ ...snapshot, descr: "" }, target),
    }),
    ["ROLLBACK"],
  ],
  [
    "takes any snapshot",
    () => ({ parseTarget: (value) => value as JsonObject }),
    ["SNAPSHOT", "ERRORS_VALUE_FREE"],
  ],
  [
    "hears what it wants to",
    () => ({ parseResponse: (body) => (body as { data: JsonObject }).data }),
    ["RESPONSE_CLOSED"],
  ],
  [
    "changes what it is given",
    () => ({
      identityOf: (target) => {
        const identity = alias.identityOf(target);
        Reflect.deleteProperty(target, "detail");
        (target as Record<string, unknown>)["id"] = 0;
        return identity;
      },
    }),
    ["IDENTITY"],
  ],
  [
    "sorts what it is given",
    () => ({
      fingerprint: (target) => {
        (target["address"] as string[]).sort().reverse();
        return alias.fingerprint(target);
      },
    }),
    ["LEAVES_ARGUMENTS"],
  ],
  [
    "says what it refuses",
    () => ({
      parseIntent: (value) => {
        try {
          return alias.parseIntent(value);
        } catch (cause) {
          throw new DrydockError("INTENT_INVALID", `not ${JSON.stringify(value)}`, { cause });
        }
      },
    }),
    ["ERRORS_VALUE_FREE"],
  ],
  [
    "refuses by whatever error there is",
    () => ({
      parseIntent: (value) => {
        try {
          return alias.parseIntent(value);
        } catch {
          throw new TypeError("no");
        }
      },
    }),
    ["INTENT_CLOSED"],
  ],
  ["declares no capability", () => ({ capability: "root" as never }), ["DECLARES"]],
  ["declares another method", () => ({ httpMethod: "DELETE" }), ["DECLARES"]],
  ["declares an unknown endpoint", () => ({ endpointSymbol: "toString" as never }), ["DECLARES"]],
  ["declares no version", () => ({ semanticUnit: "set_alias" }), ["DECLARES"]],
  ["has no way back", () => ({ buildRollbackRequest: undefined as never }), ["DECLARES"]],
  ["identifies by number", () => ({ identityOf: ({ id }) => ({ id: id ?? 0 }) }), ["IDENTITY"]],
];

for (const [what, make, caught] of BROKEN) {
  test(`an adapter that ${what} doesn't conform, by name`, async () => {
    const { conforms, results } = await checkConformance(
      async () => ({ ...alias, ...make() }),
      aliasSpecimen,
    );
    const failed = results.filter(({ ok }) => !ok);
    assert.equal(conforms, false);
    for (const check of caught) {
      assert.ok(
        failed.some((result) => result.check === check),
        `${check} is not among ${JSON.stringify(failed)}`,
      );
    }
  });
}

test("what is no adapter at all is said to be none", async () => {
  for (const nothing of [undefined, null, 7, {}, () => alias]) {
    const { conforms, results } = await checkConformance(async () => nothing, aliasSpecimen);
    assert.equal(conforms, false);
    assert.deepEqual(
      results.map(({ check }) => check),
      ["DECLARES"],
    );
  }
});

test("every check is failed by some broken adapter", () => {
  const caught = new Set(BROKEN.flatMap(([, , checks]) => checks));
  const missed = Object.keys(CONFORMANCE_CHECKS).filter(
    (check) => !caught.has(check as ConformanceCheck),
  );
  assert.deepEqual(missed, []);
});
