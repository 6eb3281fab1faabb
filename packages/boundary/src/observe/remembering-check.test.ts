import assert from "node:assert/strict";
import { it } from "node:test";
import { bindPlatform, bindScenario } from "../bind/index.js";
import { type CheckRequest, checkExhaustively } from "../check/index.js";
import { compilePlatform, compileScenario } from "../compile/index.js";
import { plan, policy, topology } from "../testing/index.js";
import { rememberingCheck } from "./index.js";

const request = (): CheckRequest => {
  const scenario = bindScenario(plan, topology);
  const platform = bindPlatform(policy, topology);
  const options = { owner: "remembers", realisation: "br_netfilter" } as const;
  const rulesets = [compileScenario(scenario, options), compilePlatform(platform, options)];
  return { scenario, platform, rulesets };
};

it("answers the same question once, and every other one anew", async () => {
  const check = rememberingCheck(checkExhaustively);
  const report = await check(request());
  assert.deepEqual(report, checkExhaustively(request()));
  assert.equal(await check(request()), report, "it wasn't made again");

  const { rulesets, ...boundary } = request();
  const without = rulesets.map((ruleset) => ({
    ...ruleset,
    inet: {
      ...ruleset.inet,
      chains: ruleset.inet.chains.map((chain) => ({
        ...chain,
        rules: chain.rules.filter(({ effect }) => effect.kind !== "drop"),
      })),
    },
  }));
  const changed = { ...boundary, rulesets: without };
  assert.equal((await check(changed)).ok, false);
  assert.deepEqual(await check(changed), checkExhaustively(changed));
  assert.equal(
    (await check(request())).ok,
    true,
    "only the last one is remembered, and by its content",
  );
});
