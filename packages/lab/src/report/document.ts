import type { Digest, Instant } from "@drydock/evidence";
import type { AcceptanceReport } from "../harness/index.js";
import type { ScenarioReport } from "../scenario/index.js";

/** One case that is to be played. */
export interface PlannedCase {
  readonly name: string;
  readonly variant: string | null;
}

/** A rehearsal as it is reported: what was asked for, and what came of it. */
export interface Rehearsed {
  readonly run: string;
  readonly created: Instant;
  readonly command: string;
  readonly adapter: { readonly name: string; readonly digest: Digest };
  readonly seed: number;
  /** In the order in which they are played. */
  readonly planned: readonly PlannedCase[];
  readonly report: AcceptanceReport;
}

/** What no rehearsal on a stand-in can claim. It stands in every report. */
export const ABOUT_A_REAL_APPLIANCE = "NOT_PROVISIONED";

export const titleOf = ({ name, variant }: PlannedCase): string =>
  variant === null ? name : `${name} (${variant})`;

/** Cases that were planned and for which there is no report, because something ended it before. */
export const unplayed = ({ planned, report }: Rehearsed): readonly PlannedCase[] =>
  planned.slice(report.scenarios.length);

/** Why a scenario isn't passed, each with the line that threw it where one did; none when it is. */
export const reasonsOf = ({ failures, unexpected }: ScenarioReport): readonly string[] =>
  failures.map((failure) =>
    unexpected !== null && failure === `unexpected: ${unexpected.code}`
      ? `unexpected: ${placeOf(unexpected)}`
      : failure,
  );

export const placeOf = ({ code, at }: NonNullable<ScenarioReport["unexpected"]>): string =>
  at === null ? code : `${code} at ${at}`;
