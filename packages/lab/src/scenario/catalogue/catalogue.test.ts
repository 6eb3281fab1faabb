import assert from "node:assert/strict";
import { test } from "node:test";
import { REFINED_NAMES, SCENARIO_NAMES, SEED_NAMES } from "../names.js";
import { SCENARIOS } from "./index.js";
import { SEED_SCENARIOS } from "./seed.js";

/** The seed's list of faults, in its words, and what each line became. */
const SEED: Readonly<Record<string, readonly string[]>> = {
  "crash before durable acquisition": ["crash_before_durable_acquisition"],
  "crash after EXECUTING, before the send": ["crash_after_executing_before_send"],
  "connection reset during upload": ["connection_reset_during_upload"],
  "response dropped after commit": ["response_dropped_after_commit"],
  "timeout during response and during read-back": [
    "timeout_during_response",
    "timeout_during_readback",
  ],
  "process restart in EXECUTING and ROLLING_BACK": [
    "process_restart_during_executing",
    "process_restart_during_rolling_back",
  ],
  "target changed between prepare and execute": ["target_changed_between_prepare_and_execute"],
  "conflicting edit after verification": ["conflicting_edit_after_verification"],
  "rollback response lost": ["rollback_response_lost"],
  "corrupt or replayed local store": ["corrupt_or_replayed_local_store"],
};

const CLEAN = ["prepare", "confirm", "execute", "rollback"];

test("every line of the seed's list has its scenarios, and there is one without a fault", () => {
  assert.equal(Object.keys(SEED).length, 10);
  assert.deepEqual([...SEED_NAMES], ["clean_passthrough", ...Object.values(SEED).flat()]);
  const played = SEED_SCENARIOS.map(({ name }) => name);
  assert.deepEqual(new Set(played), new Set(SEED_NAMES));
  for (const { name, steps } of SEED_SCENARIOS) {
    const isClean = steps.every((step) => CLEAN.includes(step.do));
    assert.equal(isClean, name === "clean_passthrough", name);
  }
});

test("the refined catalogue is closed: D1 to D6, E1 to E10, G1 to G10, each once at least", () => {
  const numbered = (letter: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${letter}${index + 1}`);
  assert.deepEqual(
    REFINED_NAMES.map((name) => name.split("_")[0]),
    [...numbered("d", 6), ...numbered("e", 10), ...numbered("g", 10)],
  );
  assert.deepEqual([...new Set(SCENARIOS.map(({ name }) => name))], [...SCENARIO_NAMES]);
});

test("each case has a name of its own, and one case of a name has no variant beside it", () => {
  const full = SCENARIOS.map(({ name, variant }) => `${name}: ${variant}`);
  assert.equal(new Set(full).size, full.length);
});

test("nothing is expected to be sent twice, and a target isn't let go that nobody knows of", () => {
  for (const { name, oracle } of SCENARIOS)
    if (["RECONCILIATION", "ROLLBACK_FAILED"].includes(oracle.state))
      assert.equal(oracle.reservation, "held", name);
});
