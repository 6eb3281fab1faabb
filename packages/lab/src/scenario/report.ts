import * as z from "zod/mini";
import { SCENARIO_NAMES, type ScenarioName } from "./names.js";
import { type Observed, type Oracle, observedShape, oracleShape } from "./oracle.js";
import { type ScenarioRecord, scenarioRecordShape } from "./record.js";
import { type Unexpected, unexpectedShape } from "./unexpected.js";

/** What is kept of one scenario: states, counts and digests, and no value of the appliance. */
export interface ScenarioReport {
  readonly name: ScenarioName;
  /** Where several cases belong to one name. */
  readonly variant: string | null;
  readonly passed: boolean;
  readonly expected: Oracle;
  /** As it was seen, from outside where it can be; null where an unexpected error kept it. */
  readonly observed: Observed | null;
  /** What didn't hold, one each, such as `forwardSends: 2, not 1`; none when it passed. */
  readonly failures: readonly string[];
  /** Whether the fault that was armed took; null where none was. */
  readonly faultTook: boolean | null;
  /** An error that the scenario doesn't provide for. */
  readonly unexpected: Unexpected | null;
  readonly records: readonly ScenarioRecord[];
  readonly durationMs: number;
}

/** A cycle makes some ten requests and as many transitions; a client that retries, some more. */
export const MAX_RECORDS = 200;
export const MAX_FAILURES = 20;

/** A report on its way from one process to another. */
export const scenarioReportShape: z.ZodMiniType<ScenarioReport> = z.strictObject({
  name: z.enum(SCENARIO_NAMES),
  variant: z.nullable(z.string().check(z.maxLength(64))),
  passed: z.boolean(),
  expected: oracleShape,
  observed: z.nullable(observedShape),
  failures: z.array(z.string().check(z.maxLength(200))).check(z.maxLength(MAX_FAILURES)),
  faultTook: z.nullable(z.boolean()),
  unexpected: z.nullable(unexpectedShape),
  records: z.array(scenarioRecordShape).check(z.maxLength(MAX_RECORDS)),
  durationMs: z.int().check(z.minimum(0)),
});
