import type { AcceptanceReport } from "../../harness/index.js";
import type { Oracle, ScenarioReport } from "../../scenario/index.js";
import type { Rehearsed } from "../document.js";

const verified: Oracle = {
  ...{ state: "VERIFIED", forwardSends: 1, rollbackSends: 0 },
  ...{ reservation: "free", appliance: "after" },
};

export const passedScenario: ScenarioReport = {
  ...{ name: "clean_passthrough", variant: null, passed: true },
  ...{ expected: verified, observed: verified, failures: [], faultTook: null, unexpected: null },
  ...{ records: [], durationMs: 1_234 },
};

export const failedScenario: ScenarioReport = {
  ...passedScenario,
  ...{ variant: "and back", passed: false },
  observed: { ...verified, forwardSends: 2 },
  failures: ["forwardSends: 2, not 1"],
};

export const brokenScenario: ScenarioReport = {
  ...passedScenario,
  ...{ name: "timeout_during_readback", passed: false, observed: null },
  failures: ["unexpected: ECONNREFUSED"],
  unexpected: { code: "ECONNREFUSED", at: "scenario/play.js:42" },
};

const report = (scenarios: readonly ScenarioReport[], planned: number): AcceptanceReport => {
  const passed = scenarios.filter((one) => one.passed).length;
  return {
    passed: passed === planned,
    target: { kind: "stand-in", digest: `sha256:${"0".repeat(64)}` },
    authorises: "nothing",
    scenarios,
    counts: { passed, failed: scenarios.length - passed, notPlayed: planned - scenarios.length },
    exit: { permissionRevoked: true, readOnlyConfirmed: true },
    unexpected: null,
  };
};

/** One scenario of each ending, and one that wasn't played; or what is given. */
export const rehearsed = (
  scenarios: readonly ScenarioReport[] = [passedScenario, failedScenario, brokenScenario],
  changes: Partial<Rehearsed> = {},
): Rehearsed => {
  const planned = [
    ...scenarios.map(({ name, variant }) => ({ name, variant })),
    { name: "rollback_response_lost", variant: null },
  ];
  return {
    run: "acceptance-20261130T100000Z-0123456789",
    created: "2026-11-30T10:00:00.000Z",
    command: "drydock lab accept --seed 1 --repeat 1",
    adapter: {
      name: "set_firewall_alias_description_v1",
      digest: `sha256:${"1".repeat(64)}`,
    },
    seed: 1,
    planned,
    report: report(scenarios, planned.length),
    ...changes,
  };
};

export const allPassed = (): Rehearsed => {
  const { planned, ...rest } = rehearsed([passedScenario]);
  return { ...rest, planned: planned.slice(0, 1), report: report([passedScenario], 1) };
};
