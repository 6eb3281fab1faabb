import assert from "node:assert/strict";
import { test } from "node:test";
import { compileFloor, compilePlatform, compileScenario } from "../compile/index.js";
import { compareRulesets } from "../readback/index.js";
import { testNetwork } from "../ruleset/testing/network.js";
import { boundPlatform, boundScenario } from "../testing/index.js";
import { LAB_REALISATION } from "../testing/lab-kernel.js";
import { applyRuleset } from "./apply.js";
import { deleteOwned } from "./delete-owned.js";
import { permitChanges } from "./host-namespace.js";
import { listAll } from "./list.js";
import { openNamespace } from "./namespace.js";

const OPTIONS = { owner: "test:compiled", realisation: LAB_REALISATION } as const;

test("what is compiled is what the kernel holds, from the floor up and down again", async (t) => {
  const network = testNetwork(t);
  using opened = openNamespace({ kind: "netns", path: network.path });
  const namespace = permitChanges(opened, { allowHostNetwork: false });
  const territory = { networks: Object.values(boundPlatform.networks), ports: [] };
  const floor = compileFloor("platform", territory, OPTIONS);
  const scenario = compileScenario(boundScenario, OPTIONS);
  const platform = compilePlatform(boundPlatform, OPTIONS);

  await applyRuleset(namespace, floor);
  await applyRuleset(namespace, scenario, [floor]);
  const full = await applyRuleset(namespace, platform, [scenario]);
  assert.equal(full.previous, floor.digest);
  assert.deepEqual(compareRulesets([scenario, platform], await listAll(namespace)), []);

  await applyRuleset(namespace, floor, [scenario]);
  assert.deepEqual(compareRulesets([scenario, floor], await listAll(namespace)), []);
  assert.equal((await deleteOwned(namespace, OPTIONS.owner)).length, 4);
});
