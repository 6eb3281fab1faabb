import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { profile, temporaryDirectory } from "@drydock/testkit";
import { SCENARIOS } from "../scenario/index.js";
import { startRehearsal } from "./start-rehearsal.js";
import { EXIT_MS } from "./supervise.js";
import { isEmpty, memberRunning, namespaceOf } from "./testing/namespace.js";
import { begun, exitFiles, exitIn, reported } from "./testing/rehearsal.js";

const KILLS = profile.name === "soak" ? 2 * profile.kills : 10;

/** Within the start of a harness, and within one scenario. */
const START_MS = 2_000;
const SCENARIO_MS = 1_000;

interface Moment {
  readonly scenario: string;
  /** After so many of its reports, and then so many milliseconds. */
  readonly reports: number;
  readonly ms: number;
}

/** The same for the same seed: a linear congruence, of which the high bits are taken. */
const moments = function* (seed: number): Generator<Moment, never> {
  let state = seed >>> 0;
  const draw = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  for (;;) {
    const { name } = SCENARIOS[draw(SCENARIOS.length)] ?? { name: "" };
    const reports = draw(5) === 0 ? 0 : 1;
    yield { scenario: name, reports, ms: draw(reports === 0 ? START_MS : SCENARIO_MS) };
  }
};

/** Nobody is at work on such a contract. */
const SETTLED = /^(PREPARING|PREPARED|VERIFIED|FAILED|RECONCILIATION|ROLLED_BACK|ROLLBACK_FAILED)$/;

test(`a harness that is killed at ${KILLS} moments: the permission is gone, no contract is lost, nothing is left, and the next run starts clean`, async (t) => {
  const directory = temporaryDirectory(t);
  const at = moments(profile.seed);
  const seen = { interrupted: 0, contracts: 0, unresolved: 0 };
  for (let round = 0; round < KILLS; round += 1) {
    const moment = at.next().value;
    const { scenario } = moment;
    // More often than it is played until then.
    const rehearsal = startRehearsal({
      directory,
      seed: round,
      scenarios: [scenario],
      repeat: 100,
    });
    await begun(rehearsal);
    const namespace = namespaceOf(rehearsal.supervisor) ?? "";
    const { pid } = await memberRunning(rehearsal.supervisor, "harness");
    await reported(rehearsal, moment.reports);
    await pause(moment.ms);
    process.kill(pid, "SIGKILL");
    const { exit, passed, scenarios } = await rehearsal.finished;
    const what = `round ${round}: ${JSON.stringify({ ...moment, exit })}`;

    assert.equal(exit.cause, "harness-ended", what);
    assert.equal(passed, false, what);
    assert.deepEqual([exit.permissionRevoked, exit.readOnlyConfirmed], [true, true], what);
    assert.ok(exit.revocationMs <= EXIT_MS, what);
    assert.ok(
      scenarios.every((report) => report.passed),
      what,
    );

    // Whatever was changed under a scenario that wasn't at its end is under a contract that is known.
    const known = exit.contracts.length + exit.unreadable.length;
    if (exit.interrupted !== null && exit.applianceAsBefore === false) assert.ok(known > 0, what);
    for (const { state, interrupted } of exit.contracts) {
      assert.match(state, SETTLED, what);
      if (interrupted) assert.equal(state, "RECONCILIATION", what);
    }
    // A store that a scenario had tampered with is refused, and named.
    for (const { code } of exit.unreadable) assert.match(code, /^STORE_/, what);
    seen.interrupted += exit.interrupted === null ? 0 : 1;
    seen.contracts += exit.contracts.length;
    seen.unresolved += exit.contracts.filter(({ interrupted }) => interrupted).length;

    await isEmpty(namespace);
    assert.equal(exit.destroyed, true, what);
    const files = exitFiles(directory);
    assert.equal(files.length, round + 1, what);
    assert.ok(
      files.every((file) => /\/exit-\w+\.json$/.test(file)),
      what,
    );
    assert.ok(
      files.some((file) => JSON.stringify(exitIn(file)) === JSON.stringify(exit)),
      what,
    );
  }
  t.diagnostic(JSON.stringify(seen));
  // Otherwise the moments were all between scenarios, and nothing was tried.
  assert.ok(seen.interrupted > 0 && seen.contracts > 0);

  const after = startRehearsal({ directory, seed: 1, scenarios: ["clean_passthrough"] });
  const report = await after.finished;
  assert.equal(report.passed, true, JSON.stringify(report.exit));
});
