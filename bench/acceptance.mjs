#!/usr/bin/env node
// A whole rehearsal, as `drydock lab accept` starts one: every scenario on a fresh stand-in, from the
// start of the supervisor to the proof that the permission is gone. One JSON object. Needs root, and
// `npx tsc -b` first.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median, rounded, spread } from "./lib/stats.mjs";

const { startRehearsal } = await import(
  new URL("../packages/lab/dist/index.js", import.meta.url).href
);

const TARGET_SECONDS = 60;
const ROUNDS = Number(process.env.DRYDOCK_BENCH_ACCEPTANCE_ROUNDS ?? 3);
const SLOWEST = 5;

const rounds = [];
for (let round = 0; round < ROUNDS; round += 1) {
  const directory = mkdtempSync(join(tmpdir(), "drydock-bench-acceptance-"));
  try {
    const began = performance.now();
    const report = await startRehearsal({ directory: join(directory, "lab"), seed: 1 }).finished;
    const ms = performance.now() - began;
    if (!report.passed) throw new Error(`it didn't pass: ${JSON.stringify(report.counts)}`);
    rounds.push({ ms, scenarios: report.scenarios });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
const title = ({ name, variant }) => (variant === null ? name : `${name}: ${variant}`);
const scenarios = rounds[0].scenarios.map((scenario, index) => ({
  name: title(scenario),
  ms: median(rounds.map((round) => round.scenarios[index].durationMs)),
}));
const wallMs = spread(rounds.map(({ ms }) => ms));
console.log(
  JSON.stringify({
    name: "acceptance",
    scenarios: scenarios.length,
    wallMs,
    medianScenarioMs: median(scenarios.map(({ ms }) => ms)),
    slowest: scenarios.sort((a, b) => b.ms - a.ms).slice(0, SLOWEST),
    targetSeconds: TARGET_SECONDS,
    ratio: rounded(wallMs.median / 1_000 / TARGET_SECONDS),
  }),
);
