import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { profile, type Swap, swapArguments, temporaryDirectory } from "@drydock/testkit";
import { SCENARIO_NAMES, type ScenarioName } from "./scenario/names.js";
import type { RehearsalReport } from "./supervisor/index.js";
import { BROKEN_REHEARSALS } from "./testing/broken.js";

const PROGRAM = fileURLToPath(new URL("./testing/rehearse.js", import.meta.url));

const rehearse = async (
  t: TestContext,
  scenarios: readonly ScenarioName[],
  swaps: readonly Swap[],
): Promise<RehearsalReport> => {
  const directory = join(temporaryDirectory(t), "rehearsal");
  const given = JSON.stringify({ directory, scenarios });
  const child = spawn(process.execPath, [...swapArguments(swaps), PROGRAM, given], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const printed = Buffer.concat(await child.stdout.toArray()).toString();
  return JSON.parse(printed) as RehearsalReport;
};

/** Everything that a report says against a rehearsal, one each. */
const complaints = ({ scenarios, exit }: RehearsalReport): readonly string[] => [
  ...scenarios.flatMap(({ failures }) => failures),
  ...(exit.permissionRevoked ? [] : ["exit: permissionRevoked false"]),
];

/** In a soak all of it is played each time, as in the demo. */
const played = (few: readonly ScenarioName[]): readonly ScenarioName[] =>
  profile.name === "soak" ? SCENARIO_NAMES : few;

test("a rehearsal of which nothing is broken passes", async (t) => {
  const few = [...new Set(BROKEN_REHEARSALS.map(({ shownBy }) => shownBy))];
  const report = await rehearse(t, played(few), []);
  assert.deepEqual(complaints(report), []);
  assert.ok(report.passed);
});

for (const { name, shownBy, named, ...swap } of BROKEN_REHEARSALS)
  test(`${name}: it fails, and names it`, async (t) => {
    const report = await rehearse(t, played([shownBy]), [swap]);
    assert.equal(report.passed, false);
    const said = complaints(report);
    assert.ok(
      said.some((line) => named.test(line)),
      said.join("\n"),
    );
  });
