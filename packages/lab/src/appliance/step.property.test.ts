import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { JsonValue } from "@drydock/evidence";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import { restoreSnapshot, takeSnapshot } from "./snapshot.js";
import { TestAppliance } from "./testing/appliance.js";

/** A third of a run each: one request of an appliance takes about a millisecond. */
const RUNS = Math.ceil(profile.fuzz / 3);
const parameters = { numRuns: RUNS, seed: profile.seed };

const name = fc.constantFrom("LAB_A", "LAB_B", "LAB_C", "LAB_D", "any", "lan", "", "a b");
const value = fc.constantFrom(
  "192.0.2.1",
  "198.51.100.0/24",
  "443",
  "LAB_A",
  "LAB_B",
  "x.example",
  "",
);
const json = fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<JsonValue>;

const alias = fc.record(
  {
    name,
    type: fc.constantFrom<JsonValue>("host", "network", "port", "url", null),
    descr: fc.oneof<fc.Arbitrary<JsonValue>[]>(fc.string(), json),
    address: fc.oneof<fc.Arbitrary<JsonValue>[]>(fc.array(value, { maxLength: 3 }), json),
    detail: fc.oneof<fc.Arbitrary<JsonValue>[]>(fc.array(fc.string(), { maxLength: 3 }), json),
    placement: fc.oneof<fc.Arbitrary<JsonValue>[]>(fc.integer({ min: -3, max: 9 }), json),
    apply: fc.oneof<fc.Arbitrary<JsonValue>[]>(fc.boolean(), json),
    dry_run: fc.boolean(),
    nonsense: json,
  },
  { requiredKeys: ["name"] },
);
const id = fc.oneof<fc.Arbitrary<JsonValue>[]>(fc.integer({ min: -1, max: 4 }), json);

/** Method, path, body, query. */
type Sent = readonly [string, string, JsonValue, string];

const request: fc.Arbitrary<Sent> = fc.oneof<fc.Arbitrary<Sent>[]>(
  fc.tuple(fc.constant("POST"), fc.constant("/firewall/alias"), alias, fc.constant("")),
  fc
    .tuple(id, alias, fc.boolean())
    .map(([number, { name: given, ...rest }, named]) => [
      "PATCH",
      "/firewall/alias",
      { id: number, ...rest, ...(named ? { name: given } : {}) } as JsonValue,
      "",
    ]),
  id.map((number) => ["DELETE", "/firewall/alias", {}, `id=${encodeURIComponent(String(number))}`]),
  fc
    .array(alias, { maxLength: 3 })
    .map((all) => ["PUT", "/firewall/aliases", all as JsonValue, ""]),
  name.map((given) => ["DELETE", "/firewall/aliases", {}, `name=${encodeURIComponent(given)}`]),
  fc.tuple(
    fc.constantFrom("POST", "PATCH", "PUT"),
    fc.constant("/firewall/rule"),
    json,
    fc.constant(""),
  ),
);

const play = (sent: readonly Sent[]): TestAppliance => {
  const appliance = new TestAppliance();
  for (const [method, path, body, query] of sent) appliance.send(method, path, { body, query });
  return appliance;
};

describe("whatever is asked, in whatever order", () => {
  test("names stay unique, ids are positions, and every object stays one that could be made", () => {
    fc.assert(
      fc.property(fc.array(request, { maxLength: 12 }), (sent) => {
        const appliance = play(sent);
        const all = appliance.list("/firewall/aliases");
        assert.deepEqual(
          all.map(({ id: position }) => position),
          [...all.keys()],
        );
        assert.equal(new Set(all.map(({ name: own }) => own)).size, all.length);
        for (const { name: own, type, descr, address, detail } of all) {
          assert.match(String(own), /^[A-Za-z0-9_]{1,31}$/);
          assert.ok(["host", "network", "port"].includes(String(type)));
          assert.ok(Buffer.byteLength(String(descr)) <= 1_024);
          assert.ok(Array.isArray(address) && Array.isArray(detail));
        }
        assert.ok(appliance.list("/firewall/rules").length >= 1);
      }),
      parameters,
    );
  });

  test("an answer other than 200 changes nothing, and nor does a GET or a dry run", () => {
    fc.assert(
      fc.property(fc.array(request, { maxLength: 8 }), (sent) => {
        const appliance = new TestAppliance();
        for (const [method, path, body, query] of sent) {
          const before = appliance.state;
          const { status } = appliance.send(method, path, { body, query });
          const dry = typeof body === "object" && body !== null && Reflect.get(body, "dry_run");
          if (status !== 200 || dry === true) assert.equal(appliance.state, before);
          appliance.list("/firewall/aliases");
        }
      }),
      parameters,
    );
  });

  test("it answers the same to the same, and a snapshot brings all of it back", () => {
    fc.assert(
      fc.property(
        fc.array(request, { maxLength: 6 }),
        fc.array(request, { maxLength: 6 }),
        (before, after) => {
          const appliance = play(before);
          const snapshot = takeSnapshot(appliance.state);
          assert.equal(takeSnapshot(play(before).state).digest, snapshot.digest);
          for (const [method, path, body, query] of after) {
            appliance.send(method, path, { body, query });
          }
          appliance.state = restoreSnapshot(appliance.state, snapshot);
          assert.equal(takeSnapshot(appliance.state).digest, snapshot.digest);
        },
      ),
      parameters,
    );
  });

  test("no JSON and no query makes it fail unforeseen but those that the package fails on", () => {
    const text = fc.oneof(
      json.map((one) => JSON.stringify(one)),
      fc.string(),
    );
    fc.assert(
      fc.property(
        fc.constantFrom("GET", "POST", "PATCH", "PUT", "DELETE"),
        fc.constantFrom(
          "/firewall/alias",
          "/firewall/aliases",
          "/system/restapi/settings",
          "/users",
        ),
        text,
        fc.webQueryParameters(),
        (method, path, body, query) => {
          const answer = new TestAppliance().send(method, path, {
            raw: Buffer.from(body),
            query,
            fields: { "content-type": "application/json" },
          });
          if (answer.status !== 500) return;
          assert.ok(
            ["ENDPOINT_RECEIVED_UNEXPECTED_ERROR", "MODEL_ID_REQUIRED_FOR_REFRESH"].includes(
              answer.id,
            ),
          );
        },
      ),
      { ...parameters, numRuns: profile.fuzz },
    );
  });
});
