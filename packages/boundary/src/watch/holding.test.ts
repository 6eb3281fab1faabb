import assert from "node:assert/strict";
import { test } from "node:test";
import { bindPlatform, bindScenario } from "../bind/index.js";
import { compilePlatform, compileScenario } from "../compile/index.js";
import type { Expected } from "../realise/index.js";
import { plan, policy, topology } from "../testing/index.js";
import { type Holding, heldIn, settledOn, UNKNOWN, wasQuiet } from "./holding.js";

const scenario = bindScenario(plan, topology);
const platform = bindPlatform(policy, topology);
const options = { owner: "holding", realisation: "br_netfilter" } as const;
const held: Expected = {
  ...{ scenario, platform },
  rulesets: [compileScenario(scenario, options), compilePlatform(platform, options)],
};
const changing: Holding = { kind: "changing", from: held, done: Promise.resolve() };

test("one set of rules was right where nothing was loaded in between, and not otherwise", () => {
  const settled = settledOn(held);
  assert.equal(wasQuiet(settled, settled), true);
  assert.equal(wasQuiet(settled, settledOn(held)), false, "loaded, and the same again");
  assert.equal(wasQuiet(settled, changing), false, "being loaded");
  assert.equal(wasQuiet(changing, changing), false, "all the while");
  assert.equal(wasQuiet(UNKNOWN, UNKNOWN), false, "nobody looked");
});

test("what is held is what was, until the new is loaded", () => {
  assert.deepEqual([UNKNOWN, settledOn(held), changing].map(heldIn), [null, held, held]);
  assert.equal(settledOn(null), UNKNOWN);
});
