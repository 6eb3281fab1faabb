import type { ExitReport } from "../exit/index.js";
import type { ScenarioReport, Unexpected } from "../scenario/index.js";

/** What a rehearsal found. It authorises nothing, whatever it says. */
export interface AcceptanceReport {
  readonly passed: boolean;
  readonly target: { readonly kind: "stand-in"; readonly digest: string | null };
  readonly authorises: "nothing";
  readonly scenarios: readonly ScenarioReport[];
  /** Of those that were to be played. */
  readonly counts: { readonly passed: number; readonly failed: number; readonly notPlayed: number };
  readonly exit: ExitReport;
  /** An error of the harness itself, after which nothing more was played. */
  readonly unexpected: Unexpected | null;
}

export interface Played {
  /** Scenarios that were to be played. */
  readonly planned: number;
  /** Of the appliance before; null when it couldn't be told. */
  readonly digest: string | null;
  readonly scenarios: readonly ScenarioReport[];
  readonly unexpected: Unexpected | null;
}

/** All that was planned was played and passed, and the exit is confirmed: less is no pass. */
export const acceptanceReport = <Exit extends ExitReport>(
  { planned, digest, scenarios, unexpected }: Played,
  exit: Exit,
): AcceptanceReport & { readonly exit: Exit } => {
  const passed = scenarios.filter((report) => report.passed).length;
  return {
    passed:
      unexpected === null &&
      planned > 0 &&
      scenarios.length === planned &&
      passed === planned &&
      exit.permissionRevoked &&
      exit.readOnlyConfirmed,
    target: { kind: "stand-in", digest },
    authorises: "nothing",
    scenarios,
    counts: {
      passed,
      failed: scenarios.length - passed,
      notPlayed: Math.max(0, planned - scenarios.length),
    },
    exit,
    unexpected,
  };
};
