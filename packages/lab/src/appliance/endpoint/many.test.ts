import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { JsonObject } from "@drydock/evidence";
import { alias, TestAppliance } from "../testing/appliance.js";

const ALIASES = "/firewall/aliases";

const five = (): TestAppliance => {
  const appliance = new TestAppliance();
  const types = ["host", "network", "port", "host", "host"];
  const values = ["192.0.2.1", "198.51.100.0/24", "443", "192.0.2.10", "LAB_0"];
  for (const [index, type] of types.entries()) {
    const body = alias(`LAB_${index}`, {
      type,
      address: [values[index] ?? ""],
      descr: `${index * 5}`,
    });
    appliance.ok("POST", "/firewall/alias", { body });
  }
  return appliance;
};

/** Ids of what a query gives, in its order. */
const ids = (query: string): string =>
  five()
    .list(ALIASES, query)
    .map(({ id }) => id)
    .join("");

describe("pages", () => {
  for (const [query, expected] of [
    ["", "01234"],
    ["limit=0", "01234"],
    ["limit=2", "01"],
    ["limit=99", "01234"],
    ["offset=2", "234"],
    ["limit=2&offset=2", "23"],
    ["limit=2&offset=4", "4"],
    ["offset=4", "4"],
    ["offset=5", ""],
    ["limit=1&offset=5", ""],
    ["limit=-1", "0123"],
    ["offset=-2", "34"],
    ["reverse=true", "43210"],
    ["reverse=true&limit=2", "43"],
    ["limit=1.9", "0"],
    ["limit=", "400 ENDPOINT_LIMIT_FIELD_INVALID_TYPE"],
    ["limit=x", "400 ENDPOINT_LIMIT_FIELD_INVALID_TYPE"],
    ["limit=true", "400 ENDPOINT_LIMIT_FIELD_INVALID_TYPE"],
    ["offset=x", "400 ENDPOINT_OFFSET_FIELD_INVALID_TYPE"],
    ["reverse=1", "400 ENDPOINT_REVERSE_FIELD_INVALID_TYPE"],
    ["sort_by=name&sort_order=SORT_DESC", "43210"],
    ["sort_by=type", "03412"],
    ["sort_by[]=type&sort_by[]=descr&limit=3", "034"],
    ["sort_by=descr&sort_order=SORT_DESC", "43210"],
    ["sort_by=nonsense", "400 ENDPOINT_SORT_BY_FIELD_NON_EXISTENT_FIELD"],
    ["sort_order=up", "400 ENDPOINT_SORT_ORDER_FIELD_UNKNOWN_SORT_ORDER"],
  ] as const) {
    test(`?${query} gives ${expected === "" ? "nothing" : expected}`, () => {
      if (expected.startsWith("4") && expected.includes(" ")) {
        assert.equal(five().outcome("GET", ALIASES, { query }), expected);
      } else assert.equal(ids(query), expected);
    });
  }
});

describe("queries", () => {
  for (const [query, expected] of [
    ["name=LAB_1", "1"],
    ["name__exact=LAB_1", "1"],
    ["name=lab_1", ""],
    ["name__except=LAB_1", "0234"],
    ["name__contains=AB_", "01234"],
    ["name__startswith=LAB_1", "1"],
    ["name__endswith=_1", "1"],
    ["type=host&descr__gt=5", "34"],
    ["descr__gte=5", "1234"],
    ["descr__lt=5", "0"],
    ["descr__lte=5", "01"],
    ["descr=5", "1"],
    ["descr=5.0", "1"],
    ["name__gt=5", ""],
    ["id=3", "3"],
    ["id__lt=2", "01"],
    ["address__contains=443", "2"],
    ["address__contains=192.0.2.1", "0"],
    ["address__startswith=LAB_0", "4"],
    ["name__in[]=LAB_1&name__in[]=LAB_3", "13"],
    ["nonsense=1", ""],
    ["name__nonsense=1", ""],
    ["__proto__=1", ""],
    ["constructor=1", ""],
    ["type=host&limit=1&offset=1", "3"],
  ] as const) {
    test(`?${query} finds ${expected === "" ? "nothing" : expected}`, () => {
      assert.equal(ids(query), expected);
    });
  }

  test("with a filter that this stand-in hasn't are refused, and don't find nothing", () => {
    for (const filter of ["regex", "format"]) {
      assert.equal(
        five().outcome("GET", ALIASES, { query: `name__${filter}=x` }),
        "400 STAND_IN_FILTER_UNSUPPORTED",
      );
    }
  });

  test("may be JSON in the body of a GET, where nothing is taken for a number", () => {
    const found = five().ok("GET", ALIASES, {
      body: { name: "LAB_1", limit: 1 },
      fields: { "content-type": "application/json" },
    }) as readonly JsonObject[];
    assert.deepEqual(
      found.map(({ id }) => id),
      [1],
    );
  });
});

describe("PUT", () => {
  const put = (appliance: TestAppliance, body: never[] | object): string =>
    appliance.outcome("PUT", ALIASES, { body: body as never });

  test("replaces all, and sees only what it brings", () => {
    const appliance = five();
    const nested = alias("LAB_Y", { address: ["LAB_X"] });
    assert.equal(put(appliance, [alias("LAB_X"), nested]), "200 SUCCESS");
    assert.deepEqual(
      appliance.list(ALIASES).map(({ id, name }) => [id, name]),
      [
        [0, "LAB_X"],
        [1, "LAB_Y"],
      ],
    );
    assert.equal(put(appliance, [nested]), "400 INVALID_HOST_ALIAS_ADDRESS");
    assert.equal(put(appliance, [alias("A"), alias("A")]), "400 FIELD_MUST_BE_UNIQUE");
    assert.equal(appliance.list(ALIASES).length, 2, "all or nothing");
    assert.equal(put(appliance, { name: "x" }), "400 ENDPOINT_REQUEST_DATA_MUST_BE_INDEXED_ARRAY");
    assert.equal(put(appliance, []), "200 SUCCESS");
    assert.equal(
      appliance.outcome("PUT", "/firewall/rules", { body: [] }),
      "400 MODEL_REPLACE_ALL_MINIMUM_NOT_MET",
    );
  });
});

describe("DELETE of many", () => {
  test("takes a query, or all: true, and nothing less", () => {
    const appliance = five();
    assert.equal(
      appliance.outcome("DELETE", ALIASES),
      "400 MODEL_DELETE_MANY_REQUIRES_QUERY_PARAMS",
    );
    appliance.ok("DELETE", ALIASES, { query: "type=host&limit=1" });
    assert.deepEqual(
      appliance.list(ALIASES).map(({ name }) => name),
      ["LAB_1", "LAB_2", "LAB_3", "LAB_4"],
    );
    assert.deepEqual(appliance.ok("DELETE", ALIASES, { query: "name=none" }), []);
    appliance.ok("DELETE", ALIASES, { query: "all=true" });
    assert.deepEqual(appliance.list(ALIASES), []);
  });

  test("leaves the last rule", () => {
    const appliance = new TestAppliance();
    assert.equal(
      appliance.outcome("DELETE", "/firewall/rules", { query: "all=true" }),
      "403 MODEL_MANY_MINIMUM_REACHED",
    );
    assert.equal(
      appliance.outcome("DELETE", "/firewall/rule", { query: "id=0" }),
      "403 MODEL_MANY_MINIMUM_REACHED",
    );
  });
});
