import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { JsonObject, JsonValue } from "@drydock/evidence";
import { alias, TestAppliance } from "../testing/appliance.js";

const ALIAS = "/firewall/alias";
const ALIASES = "/firewall/aliases";

const withAliases = (...names: readonly string[]): TestAppliance => {
  const appliance = new TestAppliance();
  for (const name of names) appliance.ok("POST", ALIAS, { body: alias(name) });
  return appliance;
};

const patch = (appliance: TestAppliance, body: JsonObject): string =>
  appliance.outcome("PATCH", ALIAS, { body });

const first = (appliance: TestAppliance): JsonObject => appliance.list(ALIASES)[0] ?? {};

describe("PATCH", () => {
  test("changes what was sent, and keeps the rest", () => {
    const appliance = withAliases("LAB_A", "LAB_B");
    const before = appliance.list(ALIASES);
    const answer = appliance.ok("PATCH", ALIAS, { body: { id: 0, descr: "new", apply: false } });
    assert.deepEqual(answer, { ...before[0], descr: "new" });
    assert.deepEqual(appliance.list(ALIASES), [answer, before[1]]);
  });

  test("passes over keys that it doesn't know, also those that every object has", () => {
    const appliance = withAliases("LAB_A");
    const before = first(appliance);
    const body = JSON.parse('{"id":0,"nonsense":1,"__proto__":{"descr":"x"},"constructor":"y"}');
    assert.equal(patch(appliance, body), "200 SUCCESS");
    assert.deepEqual(first(appliance), before);
  });

  test("takes null for a field's default, and not for one that has to be there", () => {
    const appliance = withAliases("LAB_A");
    assert.equal(patch(appliance, { id: 0, descr: null, detail: null }), "200 SUCCESS");
    assert.deepEqual([first(appliance)["descr"], first(appliance)["detail"]], ["", []]);
    assert.equal(patch(appliance, { id: 0, type: null }), "400 FIELD_IS_REQUIRED");
  });

  test("validates the whole object, not just what changed", () => {
    const appliance = withAliases("LAB_A", "LAB_B");
    appliance.ok("PATCH", ALIAS, { body: { id: 1, address: ["LAB_A"], detail: ["nested"] } });
    assert.equal(patch(appliance, { id: 1, descr: "fine" }), "200 SUCCESS");
    appliance.ok("DELETE", ALIAS, { query: "id=0" });
    assert.equal(patch(appliance, { id: 0, descr: "no" }), "400 INVALID_HOST_ALIAS_ADDRESS");
  });

  const refusals: readonly (readonly [string, JsonObject, string])[] = [
    ["without an id", { descr: "x" }, "400 MODEL_REQUIRES_ID"],
    ["with the id null", { id: null }, "500 MODEL_ID_REQUIRED_FOR_REFRESH"],
    ["of an id that isn't there", { id: 2 }, "404 MODEL_OBJECT_NOT_FOUND"],
    ["of a negative id", { id: -1 }, "404 MODEL_OBJECT_NOT_FOUND"],
    ["of an id with a fraction", { id: 0.5 }, "404 MODEL_OBJECT_NOT_FOUND"],
    ["of another name", { id: 0, name: "LAB_C" }, "400 FIELD_VALUE_CHANGED_WHEN_NOT_EDITABLE"],
    ["with a number for a text", { id: 0, descr: 1 }, "400 FIELD_INVALID_TYPE"],
    ["with a list for a text", { id: 0, descr: [] }, "400 FIELD_INVALID_TYPE"],
    ["with a text for a list", { id: 0, address: "192.0.2.1" }, "400 FIELD_INVALID_MANY_VALUE"],
    ["with a number in a list", { id: 0, address: [1] }, "400 FIELD_INVALID_TYPE"],
    ["of a type that there isn't", { id: 0, type: "url" }, "400 FIELD_INVALID_CHOICE"],
    [
      "to a type that its values aren't of",
      { id: 0, type: "port" },
      "400 INVALID_PORT_ALIAS_ADDRESS",
    ],
    ["with more details than values", { id: 0, detail: ["a", "b"] }, "400 TOO_MANY_ALIAS_DETAILS"],
    [
      "with 1,025 bytes",
      { id: 0, descr: "x".repeat(1_025) },
      "400 LENGTH_VALIDATOR_MAXIMUM_CONSTRAINT",
    ],
    [
      "with 513 letters of two bytes",
      { id: 0, descr: "ü".repeat(513) },
      "400 LENGTH_VALIDATOR_MAXIMUM_CONSTRAINT",
    ],
  ];
  for (const [what, body, expected] of refusals) {
    test(`${what} is refused, and changes nothing`, () => {
      const appliance = withAliases("LAB_A", "LAB_B");
      const before = appliance.state;
      assert.equal(patch(appliance, body), expected);
      assert.equal(appliance.state, before);
    });
  }

  const taken: readonly JsonObject[] = [
    { id: 0 },
    { id: "0" },
    { id: 0, name: "LAB_A" },
    { id: 0, descr: "" },
    { id: 0, descr: "x".repeat(1_024) },
    { id: 0, descr: "ü".repeat(512) },
    { id: 0, detail: [] },
  ];
  for (const body of taken) {
    test(`${JSON.stringify(body).slice(0, 40)} is taken`, () => {
      assert.equal(patch(withAliases("LAB_A", "LAB_B"), body), "200 SUCCESS");
    });
  }

  test("adds to lists and takes from them when asked to", () => {
    const appliance = withAliases("LAB_A");
    patch(appliance, { id: 0, address: ["192.0.2.78"], append: true });
    assert.deepEqual(first(appliance)["address"], ["192.0.2.77", "192.0.2.78"]);
    patch(appliance, { id: 0, address: ["192.0.2.77"], remove: true });
    assert.deepEqual(first(appliance)["address"], ["192.0.2.78"]);
    assert.equal(patch(appliance, { id: 0, append: 1 }), "400 ENDPOINT_APPEND_FIELD_INVALID_TYPE");
  });
});

describe("POST", () => {
  const post = (appliance: TestAppliance, body: JsonValue): string =>
    appliance.outcome("POST", ALIAS, { body });

  test("appends, whatever id was sent, and fills in what wasn't", () => {
    const appliance = withAliases("LAB_A");
    const made = appliance.ok("POST", ALIAS, { body: { id: 0, name: "LAB_B", type: "port" } });
    assert.deepEqual(made, {
      id: 1,
      name: "LAB_B",
      type: "port",
      descr: "",
      address: [],
      detail: [],
    });
  });

  test("refuses a name that is taken, reserved or none", () => {
    const appliance = withAliases("LAB_A");
    for (const [name, expected] of [
      ["LAB_A", "400 FIELD_MUST_BE_UNIQUE"],
      ["", "400 FIELD_EMPTY_NOT_ALLOWED"],
      ["a-b", "400 INVALID_FIREWALL_ALIAS_NAME"],
      ["pass", "400 FILTER_NAME_VALIDATOR_RESERVED_NAME_USED"],
      ["pkg_x", "400 FILTER_NAME_VALIDATOR_CANNOT_START_WITH_PKG"],
      ["42", "400 FILTER_NAME_VALIDATOR_CANNOT_BE_NUMERICAL"],
      ["lan", "400 FILTER_NAME_VALIDATOR_NAME_IN_USE_BY_INTERFACE"],
      [`LAB_${"x".repeat(28)}`, "400 LENGTH_VALIDATOR_MAXIMUM_CONSTRAINT"],
      [`LAB_${"x".repeat(27)}`, "200 SUCCESS"],
      ["lab_a", "200 SUCCESS"],
    ] as const) {
      assert.equal(post(appliance, alias(name)), expected, name);
    }
  });

  test("reads back a detail with the delimiter as two, and one empty detail as none", () => {
    const appliance = new TestAppliance();
    const address = ["192.0.2.1", "192.0.2.2"];
    const made = appliance.ok("POST", ALIAS, {
      body: alias("LAB_A", { address, detail: ["one||two"] }),
    }) as JsonObject;
    assert.deepEqual(made["detail"], ["one||two"]);
    assert.deepEqual(first(appliance)["detail"], ["one", "two"]);
    appliance.ok("PATCH", ALIAS, { body: { id: 0, address: ["192.0.2.1"], detail: [""] } });
    assert.deepEqual(first(appliance)["detail"], []);
  });
});

describe("ids", () => {
  const names = (appliance: TestAppliance): readonly JsonValue[] =>
    appliance.list(ALIASES).map(({ id, name }) => `${id} ${name}`);

  test("are positions: what is deleted renumbers what follows", () => {
    const appliance = withAliases("LAB_A", "LAB_B", "LAB_C");
    const gone = appliance.ok("DELETE", ALIAS, { query: "id=0" }) as JsonObject;
    assert.equal(gone["name"], "LAB_A");
    assert.deepEqual(names(appliance), ["0 LAB_B", "1 LAB_C"]);
    // The trap: the number is somebody else's now.
    appliance.ok("PATCH", ALIAS, { body: { id: 0, descr: "wrong one" } });
    assert.equal(appliance.list(ALIASES, "name=LAB_B")[0]?.["descr"], "wrong one");
  });

  test("change when an object is placed elsewhere", () => {
    const appliance = withAliases("LAB_A", "LAB_B", "LAB_C");
    const moved = appliance.ok("PATCH", ALIAS, { body: { id: 2, placement: 0 } }) as JsonObject;
    assert.equal(moved["id"], 0);
    assert.deepEqual(names(appliance), ["0 LAB_C", "1 LAB_A", "2 LAB_B"]);
    appliance.ok("PATCH", ALIAS, { body: { id: 0, placement: 99 } });
    assert.deepEqual(names(appliance), ["0 LAB_A", "1 LAB_B", "2 LAB_C"]);
  });
});

describe("apply", () => {
  const pending = (appliance: TestAppliance): JsonValue => appliance.ok("GET", "/firewall/apply");
  const WAITING = { applied: false, pending_subsystems: ["aliases"] };
  const DONE = { applied: true, pending_subsystems: [] };

  for (const apply of [false, null, "true", 1, "1", [true], {}]) {
    test(`counts for nothing when it is ${JSON.stringify(apply)}`, () => {
      const appliance = withAliases();
      appliance.ok("POST", ALIAS, { body: alias("LAB_A", { apply }) });
      assert.deepEqual(pending(appliance), WAITING);
    });
  }

  test("applies when it is true", () => {
    const appliance = withAliases();
    appliance.ok("POST", ALIAS, { body: alias("LAB_A", { apply: true }) });
    assert.deepEqual(pending(appliance), DONE);
  });

  test("is an endpoint of its own, which answers before it is done unless asked to wait", () => {
    const appliance = withAliases("LAB_A");
    assert.deepEqual(appliance.ok("POST", "/firewall/apply"), WAITING);
    assert.deepEqual(appliance.ok("POST", "/firewall/apply", { body: { async: false } }), DONE);
    assert.deepEqual(pending(appliance), DONE);
  });

  test("of rules marks nothing, of NAT marks natconf, of routes a place of its own", () => {
    const appliance = new TestAppliance();
    appliance.ok("PATCH", "/firewall/rule", { body: { id: 0, descr: "x" } });
    assert.deepEqual(pending(appliance), DONE);
    appliance.ok("PATCH", "/firewall/nat/outbound/mode", { body: { mode: "hybrid" } });
    assert.deepEqual(pending(appliance), { applied: false, pending_subsystems: ["natconf"] });
    const route = { network: "198.51.100.0/24", gateway: "WAN_DHCP" };
    appliance.ok("POST", "/routing/static_route", { body: route });
    assert.deepEqual(appliance.ok("GET", "/routing/apply"), { applied: false });
    assert.deepEqual(appliance.ok("POST", "/routing/apply"), { applied: true });
    assert.deepEqual(appliance.ok("GET", "/routing/apply"), { applied: true });
  });
});

describe("dry_run", () => {
  const requests: readonly (readonly [string, string, JsonValue, string])[] = [
    ["PATCH", ALIAS, { id: 0, descr: "changed" }, ""],
    ["POST", ALIAS, alias("LAB_B"), ""],
    ["PUT", ALIASES, [], ""],
    ["DELETE", ALIAS, {}, "id=0"],
    ["DELETE", ALIASES, {}, "name=LAB_A"],
    ["PATCH", "/system/restapi/settings", { read_only: true }, ""],
  ];
  for (const [method, path, body, query] of requests) {
    test(`of ${method} ${path} changes nothing since 2.8.0, and is not known before`, () => {
      const sent = (apiVersion: string) => {
        const appliance = new TestAppliance({ apiVersion });
        appliance.ok("POST", ALIAS, { body: alias("LAB_A") });
        const before = appliance.state;
        appliance.ok(method, path, { body, query, fields: { prefer: "dry-run" } });
        return appliance.state === before;
      };
      assert.equal(sent("2.10.0"), true);
      assert.equal(sent("2.8.0"), true);
      assert.equal(sent("2.7.9"), false);
    });
  }

  test("as a key counts since 2.8.0; before, it is one more unknown key, and PATCH writes", () => {
    for (const [apiVersion, expected] of [
      ["2.10.0", "about LAB_A"],
      ["2.8.0", "about LAB_A"],
      ["2.7.6", "changed"],
    ] as const) {
      const appliance = new TestAppliance({ apiVersion });
      appliance.ok("POST", ALIAS, { body: alias("LAB_A") });
      const body = { id: 0, descr: "changed", dry_run: true };
      const answer = appliance.ok("PATCH", ALIAS, { body }) as JsonObject;
      assert.equal(answer["descr"], "changed");
      assert.equal(first(appliance)["descr"], expected, apiVersion);
    }
  });

  test("still refuses what is wrong", () => {
    const appliance = withAliases("LAB_A");
    assert.equal(patch(appliance, { id: 0, descr: 5, dry_run: true }), "400 FIELD_INVALID_TYPE");
    assert.equal(
      patch(appliance, { id: 0, dry_run: "true" }),
      "400 ENDPOINT_DRY_RUN_FIELD_INVALID_TYPE",
    );
  });
});

describe("the history", () => {
  const revisions = (appliance: TestAppliance) =>
    appliance.list("/diagnostics/config_history/revisions");

  test("has an entry of each write, the newest first, with who did what", () => {
    const appliance = withAliases("LAB_A");
    appliance.seconds += 60;
    patch(appliance, { id: 0, descr: "changed" });
    patch(appliance, { id: 0, descr: 5 });
    const [newest, older, ...rest] = revisions(appliance);
    assert.equal(rest.length, 0, "a refused request writes nothing");
    assert.match(
      String(newest?.["description"]),
      /^admin@192\.0\.2\.1 .*Modified Firewall Alias via API$/,
    );
    assert.match(String(older?.["description"]), /Added Firewall Alias via API$/);
    assert.equal(Number(newest?.["time"]) - Number(older?.["time"]), 60);
    assert.ok(Number(newest?.["filesize"]) > 0);
  });

  test("has one entry for a second, the later, and the newest first whatever the clock does", () => {
    const appliance = withAliases("LAB_A");
    const timesOf = () => revisions(appliance).map(({ time }) => Number(time));
    const [added = 0] = timesOf();
    patch(appliance, { id: 0, descr: "one" });
    assert.deepEqual(timesOf(), [added], "in the second in which it was added");
    assert.match(String(revisions(appliance)[0]?.["description"]), /Modified/);
    appliance.seconds += 1;
    patch(appliance, { id: 0, descr: "two" });
    assert.deepEqual(timesOf(), [added + 1, added]);
    appliance.seconds -= 2;
    patch(appliance, { id: 0, descr: "three" });
    assert.deepEqual(timesOf(), [added + 1, added, added - 1]);
  });

  test("keeps thirty, and loses what is deleted of it", () => {
    const appliance = withAliases("LAB_A");
    for (let count = 0; count < 40; count += 1) {
      appliance.seconds += 1;
      patch(appliance, { id: 0, descr: `${count}` });
    }
    assert.equal(revisions(appliance).length, 30);
    const path = "/diagnostics/config_history/revision";
    appliance.ok("DELETE", path, { query: "id=0" });
    assert.equal(revisions(appliance).length, 29);
    assert.equal(
      appliance.outcome("DELETE", path, { query: "id=29" }),
      "404 MODEL_OBJECT_NOT_FOUND",
    );
    appliance.ok("DELETE", `${path}s`, { query: "all=true" });
    assert.deepEqual(revisions(appliance), []);
  });
});

test("nothing is written while somebody else writes, and everything is read", () => {
  const appliance = withAliases("LAB_A");
  appliance.state = { ...appliance.state, writeLocked: true };
  const before = appliance.state;
  assert.equal(patch(appliance, { id: 0, descr: "x" }), "503 MODEL_WRITE_CONFIG_LOCKED");
  assert.equal(appliance.state, before);
  assert.equal(appliance.list(ALIASES).length, 1);
});
