import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import { checkExhaustively } from "../check/index.js";
import { compilePlatform, compileScenario } from "../compile/index.js";
import { predictTruthTable, type TruthCell } from "../meaning/index.js";
import { referencePlatform, referenceScenario } from "../meaning/testing/reference.js";
import type { BoundPlatform, BoundScenario, PlanNode } from "../model/index.js";
import { TOOL_DIRECTORIES } from "../nft/namespace.js";
import { rulesetIn } from "../realise/index.js";
import { parseNftJson, printTables } from "../ruleset/index.js";
import { anyBoundPlatform, anyBoundScenario } from "../testing/arbitraries.js";
import { openBridgeLab } from "../testing/bridge-lab.js";
import { runProbes } from "./index.js";

const PROBER = fileURLToPath(new URL("./prober.js", import.meta.url));
const OWNER = "live";
/** Each is a dozen processes and as many seconds. */
const LABORATORIES = Math.min(20, Math.ceil(profile.fuzz / 100));

interface Bound {
  readonly scenario: BoundScenario;
  readonly platform: BoundPlatform;
}

/** As a plan would list them: their first attachments hold their default routes. */
const nodesOf = ({ attachments }: BoundScenario): readonly PlanNode[] =>
  [...new Set(attachments.map(({ holder }) => holder))].map((address) => ({
    address,
    name: address,
    image: null,
    command: null,
    attachments: attachments.filter(({ holder }) => holder === address),
    line: 1,
  }));

const referenceOf = ({ scenario, platform }: Bound, cell: TruthCell) => {
  const { source, destination } = cell;
  if (source.authority !== destination.authority) return "deny";
  return source.authority === "scenario"
    ? referenceScenario(scenario, cell)
    : referencePlatform(platform, cell);
};

/** Somebody to talk to, and something to say about it: smaller ones are tried without a kernel. */
const busyScenario = anyBoundScenario.filter(
  ({ attachments, networks, rules }) =>
    networks.length > 1 && attachments.length > 2 && rules.length > 2,
);
const busyPlatform = anyBoundPlatform.filter(({ crossings }) => crossings.length > 0);

const plans = fc.sample(fc.tuple(busyScenario, busyPlatform), {
  numRuns: LABORATORIES,
  seed: profile.seed,
});

for (const [index, [scenario, platform]] of plans.entries()) {
  test(`kernel, exhaustive check, reference and live flows agree (${index})`, async (t) => {
    const bound: Bound = { scenario, platform };
    const attachments = [...scenario.attachments, ...platform.attachments];
    const networks = [...scenario.networks, ...Object.values(platform.networks)];
    const lab = await openBridgeLab(t, { networks, attachments });
    const options = { owner: OWNER, realisation: "br_netfilter" } as const;
    for (const ruleset of [
      compileScenario(scenario, options),
      compilePlatform(platform, options),
    ]) {
      lab.router.nft(printTables(ruleset));
    }

    const listing = parseNftJson(Buffer.from(lab.router.run("nft", "-j", "list", "ruleset")));
    const held = (["scenario", "platform"] as const).map(
      (authority) => rulesetIn(listing, OWNER, authority) ?? assert.fail(authority),
    );
    const report = checkExhaustively({ ...bound, rulesets: held });
    assert.deepEqual([report.differing, report.conflicts, report.gaps], [0, [], []]);

    const nodes = nodesOf(scenario);
    const cells = predictTruthTable(bound, nodes);
    for (const cell of cells) assert.equal(cell.action, referenceOf(bound, cell));

    const { results, unproven } = await runProbes(cells, {
      extent: "sample",
      seed: Buffer.from(String(profile.seed)),
      pids: new Map(attachments.map(({ holder }) => [holder, lab.node(holder).pid])),
      program: PROBER,
      toolDirectories: TOOL_DIRECTORIES,
    });
    assert.deepEqual([results.filter(({ passed }) => !passed), unproven], [[], []]);
    const passing = results.filter(({ expectation }) => expectation === "reachable").length;
    t.diagnostic(
      `${networks.length} networks, ${scenario.rules.length} rules, ${report.cells} classes of packets, ${cells.length} cells, ${results.length} flows, ${passing} of which pass`,
    );
    assert.ok(results.length > 0);
  });
}
