import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { privilegeOf } from "../request/index.js";
import { basic, TestAppliance } from "../testing/appliance.js";
import { ENDPOINTS } from "./table.js";

const USER = { name: "lab", password: "lab-password-of-the-test" };
const ALL = ENDPOINTS.flatMap(({ path, methods }) =>
  methods.map((method) => privilegeOf(path, method)),
);

/** What somebody with these privileges, and a password, is answered. */
const answered = (privileges: readonly string[], method: string, path: string): number => {
  const appliance = new TestAppliance();
  appliance.ok("POST", "/user", { body: { ...USER, priv: [...privileges] } });
  const body = path.endsWith("s") && method === "PUT" ? [] : {};
  return appliance.send(method, path.replace("/api/v2", ""), { body, fields: basic(USER) }).status;
};

describe("each endpoint", () => {
  test("has a path of its own and privileges of its own", () => {
    assert.equal(new Set(ENDPOINTS.map(({ path }) => path)).size, ENDPOINTS.length);
    assert.equal(new Set(ALL).size, ALL.length);
  });

  for (const { path, methods } of ENDPOINTS) {
    for (const method of methods) {
      test(`${method} ${path} takes its privilege, and no other`, () => {
        const own = privilegeOf(path, method);
        const status = answered([own], method, path);
        // Deleting the last rule, or all entries of the access list, is forbidden to everybody.
        assert.ok(![401, 403, 405, 503].includes(status), `with it: ${status}`);
        assert.equal(answered(["page-all"], method, path), status);
        const others = ALL.filter((privilege) => privilege !== own);
        assert.equal(answered(others, method, path), 403);
      });
    }
  }
});
