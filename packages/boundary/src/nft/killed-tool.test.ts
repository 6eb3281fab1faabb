import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isDrydockError } from "@drydock/evidence";
import { profile, temporaryDirectory } from "@drydock/testkit";
import { compareRulesets } from "../readback/index.js";
import { OWNER, SCENARIO } from "../readback/testing/rulesets.js";
import { sealRuleset } from "../ruleset/index.js";
import { testNetwork } from "../ruleset/testing/network.js";
import { applyRuleset } from "./apply.js";
import { permitChanges } from "./host-namespace.js";
import { listAll } from "./list.js";
import { openNamespace, TOOL_DIRECTORIES } from "./namespace.js";
import { countConnections, rememberConnection } from "./testing/connections.js";

/** The same but for one rule. */
const OTHER = sealRuleset({
  ...{ owner: OWNER, authority: "scenario", realisation: "br_netfilter" },
  inet: SCENARIO.inet.chains.map((chain) =>
    chain.name === "web_in" ? { ...chain, rules: chain.rules.slice(1) } : chain,
  ),
  bridge: SCENARIO.bridge.chains,
});

const WAYS = {
  before: "kill -9 $$",
  // Its input is a descriptor that a job in the background has to be handed.
  during: '"$real" "$@" <&0 & sleep 0.0$after; kill -9 $! $$',
  after: '"$real" "$@"; kill -9 $$',
} as const;

const WAY_NAMES = ["before", "during", "after"] as const;

/** A program that is killed when it is run for the nth time, in one way, and itself otherwise. */
const writeTool = (directory: string, tool: string, nth: number, way: keyof typeof WAYS): void => {
  const script = `#!/bin/sh
real="$(PATH=${TOOL_DIRECTORIES.join(":")} command -v ${tool})"
echo >>${directory}/runs
after=${nth}
[ "$(wc -l <${directory}/runs)" -ne ${nth} ] || { ${WAYS[way]}; }
exec "$real" "$@"
`;
  writeFileSync(join(directory, tool), script, { mode: 0o755 });
};

test("nft or conntrack killed at any of their runs leaves one ruleset whole, or none that is proven", async (t) => {
  const network = testNetwork(t);
  const handle = { kind: "netns", path: network.path } as const;
  using plain = openNamespace(handle);
  const namespace = permitChanges(plain, { allowHostNetwork: false });
  const kindsOf = async (ruleset: typeof SCENARIO) =>
    compareRulesets([ruleset], await listAll(namespace)).map(({ kind }) => kind);
  const isForgotten = () => countConnections(network) === 0;
  const seen = { refused: 0, done: 0 };
  const isSoak = profile.name === "soak";
  for (const [tool, runs] of [
    // Lists twice or thrice, loads, says the digest, lists again.
    ["nft", 6],
    ["conntrack", 1],
  ] as const) {
    for (let nth = 1; nth <= runs; nth += 1) {
      for (const way of isSoak ? WAY_NAMES : WAY_NAMES.slice(nth % 3, (nth % 3) + 1)) {
        const what = `${tool} ${nth} ${way}`;
        await applyRuleset(namespace, SCENARIO);
        rememberConnection(network);
        const directory = temporaryDirectory(t);
        writeTool(directory, tool, nth, way);
        using broken = openNamespace(handle, [directory, ...TOOL_DIRECTORIES]);
        try {
          await applyRuleset(permitChanges(broken, { allowHostNetwork: false }), OTHER);
          seen.done += 1;
        } catch (error) {
          assert.ok(isDrydockError(error) && error.code === "TOOL_FAILED", `${what}: ${error}`);
          seen.refused += 1;
        }
        const [old, fresh] = [await kindsOf(SCENARIO), await kindsOf(OTHER)];
        if (fresh.length === 0) assert.ok(isForgotten(), what);
        else if (old.length > 0) {
          // The new rules, whose tables don't say so yet.
          assert.deepEqual(fresh, ["table-comment", "table-comment"], what);
        }
        await applyRuleset(namespace, OTHER);
        assert.deepEqual(await kindsOf(OTHER), [], what);
        assert.ok(isForgotten(), what);
      }
    }
  }
  t.diagnostic(JSON.stringify(seen));
  assert.ok(seen.refused >= 6, "they were killed");
});
