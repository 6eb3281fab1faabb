#!/usr/bin/env node
// What the exhaustive check costs: both authorities' rulesets against everything that plan and
// policy mean, for every class of packets. 1,000 authored rules over 50 nodes, in both
// realisations; the target is two seconds. One JSON object. Build first with `npx tsc -b`.
import {
  checkExhaustively,
  compilePlatform,
  compileScenario,
} from "../packages/boundary/dist/index.js";
import { boundPlatform } from "../packages/boundary/dist/testing/index.js";
import { scenarioOf } from "./lib/scenario.mjs";
import { spread } from "./lib/stats.mjs";

const TARGET_MS = 2_000;
const NODES = 50;
const RULES = 1_000;
const ROUNDS = Number(process.env.DRYDOCK_BENCH_ROUNDS ?? 5);

const scenario = scenarioOf({ rules: RULES, nodes: NODES });

const results = {};
for (const realisation of ["native", "br_netfilter"]) {
  const options = { owner: "bench", realisation };
  const rulesets = [compileScenario(scenario, options), compilePlatform(boundPlatform, options)];
  const wall = [];
  const cpu = [];
  let cells = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const [began, used] = [performance.now(), process.cpuUsage()];
    const report = checkExhaustively({ scenario, platform: boundPlatform, rulesets });
    const { user, system } = process.cpuUsage(used);
    wall.push(performance.now() - began);
    cpu.push((user + system) / 1_000);
    cells = report.cells;
    if (!report.ok) throw new Error(`${report.differing} classes of packets differ`);
  }
  results[realisation] = { cells, wallMs: spread(wall), cpuMs: spread(cpu) };
}
const fastest = Math.max(...Object.values(results).map(({ wallMs }) => wallMs.min));
console.log(
  JSON.stringify({
    bench: "boundary-check",
    rules: RULES,
    nodes: NODES,
    ...results,
    targetMs: TARGET_MS,
    ratio: fastest / TARGET_MS,
  }),
);
