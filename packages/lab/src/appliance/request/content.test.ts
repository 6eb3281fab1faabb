import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { alias, TestAppliance } from "../testing/appliance.js";

const GET = "/firewall/aliases";
const OK = "200 SUCCESS";

describe("the type of an answer", () => {
  for (const [accept, expected] of [
    ["", OK],
    ["*/*", OK],
    ["application/json", OK],
    ["Application/JSON", OK],
    ["application/json;q=0.9", OK],
    // What browsers and many libraries send.
    ["application/json, text/plain, */*", "406 CONTENT_HANDLER_ENCODE_NOT_FOUND"],
    ["text/html,application/json;q=0.9", "406 CONTENT_HANDLER_ENCODE_NOT_FOUND"],
    ["application/*", "406 CONTENT_HANDLER_ENCODE_NOT_FOUND"],
    ["application/x-www-form-urlencoded", "406 CONTENT_HANDLER_CANNOT_ENCODE_CONTENT"],
  ] as const) {
    test(`asked for as ${JSON.stringify(accept)}: ${expected}`, () => {
      assert.equal(new TestAppliance().outcome("GET", GET, { fields: { accept } }), expected);
    });
  }
});

describe("the type of a request", () => {
  const patch = (type: string, query = ""): string => {
    const appliance = new TestAppliance();
    appliance.ok("POST", "/firewall/alias", { body: alias("LAB_A") });
    const fields = { "content-type": type };
    return appliance.outcome("PATCH", "/firewall/alias", { body: { id: 0 }, query, fields });
  };
  for (const [type, expected] of [
    ["", OK],
    ["application/json", OK],
    ["application/json; charset=utf-8", OK],
    ["APPLICATION/JSON", OK],
    ["application/octet-stream", "415 CONTENT_HANDLER_CANNOT_DECODE_CONTENT"],
    ["text/plain", "415 CONTENT_HANDLER_DECODE_NOT_FOUND"],
    // The query is all that is read of a form.
    ["application/x-www-form-urlencoded", "400 MODEL_REQUIRES_ID"],
  ] as const) {
    test(`said to be ${JSON.stringify(type)}: ${expected}`, () =>
      assert.equal(patch(type), expected));
  }

  test("as a form is its query", () => {
    assert.equal(patch("application/x-www-form-urlencoded", "id=0&descr=x"), OK);
  });
});

describe("a body", () => {
  const CANNOT = "400 JSON_CONTENT_HANDLER_COULD_NOT_DECODE_JSON";
  const UNEXPECTED = "500 ENDPOINT_RECEIVED_UNEXPECTED_ERROR";
  const post = (raw: string | Uint8Array): string =>
    new TestAppliance().outcome("POST", "/firewall/alias", {
      raw: typeof raw === "string" ? Buffer.from(raw) : raw,
    });
  const nested = (depth: number): string =>
    `{"name":"LAB_A","type":"host","x":${"[".repeat(depth)}${"]".repeat(depth)}}`;

  for (const [what, raw, expected] of [
    ["that is an object", '{"name":"LAB_A","type":"host"}', OK],
    ["with white space around it", ' \n{"name":"LAB_A","type":"host"}\n', OK],
    [
      "with a key twice, of which the last counts",
      '{"name":"a-","name":"LAB_A","type":"host"}',
      OK,
    ],
    ["nested 511 deep", nested(511), OK],
    ["with brackets in a text", `{"name":"LAB_A","type":"host","descr":"${"[".repeat(900)}"}`, OK],
    ["nested 512 deep", nested(512), CANNOT],
    ["that is empty", "", "400 FIELD_IS_REQUIRED"],
    ["that is a list", "[]", "400 FIELD_IS_REQUIRED"],
    ["that breaks off", '{"name":', CANNOT],
    ["with a comma too many", '{"name":"LAB_A",}', CANNOT],
    ["with two values", "{}{}", CANNOT],
    ["with a byte order mark", "\ufeff{}", CANNOT],
    ["with half a letter", Buffer.from('{"name":"\xff"}', "latin1"), CANNOT],
    ["with half a surrogate pair", '{"descr":"\\ud800"}', CANNOT],
    ["with half a pair for a key", '{"\\ud800":1}', CANNOT],
    ["that is a number", "5", UNEXPECTED],
    ["that is a text", '"x"', UNEXPECTED],
    ["that is null", "null", UNEXPECTED],
  ] as const) {
    test(`${what}: ${expected}`, () => assert.equal(post(raw), expected));
  }

  test("that nobody foresaw is answered with a stack trace, and quotes become backticks", () => {
    const appliance = new TestAppliance();
    const trace = appliance.send("POST", "/firewall/alias", { raw: Buffer.from("5") });
    assert.match(trace.message, /\n#0 .*\n#1 \{main\}$/);
    const quoted = appliance.send("PATCH", "/firewall/alias", { body: {} });
    assert.equal(quoted.message, "Field `id` is required.");
  });
});

describe("a query", () => {
  const find = (query: string): number => {
    const appliance = new TestAppliance();
    for (const [name, descr] of [
      ["LAB_A", "true"],
      ["LAB_B", "007"],
      ["LAB_C", "x y+z"],
      ["LAB_D", ""],
    ] as const) {
      appliance.ok("POST", "/firewall/alias", { body: alias(name, { descr }) });
    }
    return appliance.list(GET, query).length;
  };
  for (const [query, count] of [
    // A truth value equals every text that isn't empty.
    ["descr=true", 3],
    ["descr=false", 1],
    ["descr=7", 1],
    ["descr=7.9", 1],
    ["descr=8", 0],
    ["descr=x+y%2Bz", 1],
    ["descr=nothing&descr=7", 1],
    ["descr=", 1],
    ["", 4],
    ["&&", 4],
  ] as const) {
    test(`?${query} finds ${count}`, () => assert.equal(find(query), count));
  }

  test("of a GET that says it is JSON is ignored", () => {
    const appliance = new TestAppliance();
    for (const name of ["LAB_A", "LAB_B"]) {
      appliance.ok("POST", "/firewall/alias", { body: alias(name) });
    }
    const count = (fields: Record<string, string>): number => {
      const found = appliance.ok("GET", GET, { query: "limit=1", fields });
      return Array.isArray(found) ? found.length : -1;
    };
    assert.equal(count({}), 1);
    assert.equal(count({ "content-type": "application/json" }), 2);
  });
});
