import assert from "node:assert/strict";
import { test } from "node:test";
import { testHome } from "../testing/home.js";

test("a halt waits for no keys: the one who lifts it makes them", async (t) => {
  const home = testHome(t);
  assert.equal((await home.run(["halt", "off", "--reason", "none is on"])).code, 2);
  assert.equal((await home.run(["halt", "on", "--reason", "before anything else"])).code, 0);
  assert.match((await home.run(["keys", "list"])).stderr, /TRUST_MISSING/);
  const refused = await home.run(["run", "--", "true"]);
  assert.equal(refused.code, 126);
  assert.match(refused.stderr, /"before anything else" since (.|\n)*HALTED/);
  const lifted = await home.run(["halt", "off", "--reason", "it was a drill", "--json"]);
  assert.deepEqual([lifted.code, JSON.parse(lifted.stdout).halted], [0, false]);
  assert.equal((await home.run(["halt", "status"])).code, 0);
  assert.notEqual((await home.run(["keys", "list"])).stdout, "");
});
