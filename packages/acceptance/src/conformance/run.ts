import { type AnyAdapter, Bench, isRefusal, shortName } from "./bench.js";
import * as changing from "./changing-checks.js";
import { CONFORMANCE_CHECKS, type ConformanceCheck, Finding } from "./checks.js";
import * as intents from "./intent-checks.js";
import * as reading from "./reading-checks.js";
import type { Specimen } from "./specimen.js";

export interface CheckResult {
  readonly check: ConformanceCheck;
  readonly ok: boolean;
  /** What was found; null where all is well. */
  readonly found: string | null;
}

export interface ConformanceReport {
  readonly conforms: boolean;
  readonly results: readonly CheckResult[];
}

type Check = (bench: Bench, make: () => Promise<Bench>) => void | Promise<void>;

const RUN: Readonly<Record<ConformanceCheck, Check>> = {
  DECLARES: ({ adapter }) => intents.declares(adapter),
  INTENT_CLOSED: intents.intentClosed,
  INTENT_NFC: intents.intentNfc,
  IDENTITY: intents.identity,
  FINDS_BY_IDENTITY: reading.findsByIdentity,
  REFUSES_ABSENT: reading.refusesAbsent,
  REFUSES_DUPLICATE: reading.refusesDuplicate,
  ONLY_READS: reading.onlyReads,
  READS_AFRESH: reading.readsAfresh,
  ANSWER_CLOSED: reading.answerClosed,
  ANSWER_STATUS: reading.answerStatus,
  FINGERPRINT: reading.fingerprint,
  LOCATOR: reading.locator,
  ONE_REQUEST: changing.oneRequest,
  REQUEST_CLOSED: changing.requestClosed,
  CHANGES_ONE_TARGET: changing.changesOneTarget,
  REFUSES_NO_OP: changing.refusesNoOp,
  RESPONSE_CLOSED: changing.responseClosed,
  VERIFIES_EXACTLY: changing.verifiesExactly,
  SNAPSHOT: changing.snapshot,
  ROLLBACK: changing.rollback,
  VERIFIES_ROLLBACK_EXACTLY: changing.verifiesRollbackExactly,
  STATELESS: (_, make) => changing.stateless(make),
  LEAVES_ARGUMENTS: changing.leavesArguments,
  ERRORS_VALUE_FREE: intents.errorsValueFree,
};

/**
 * Puts an adapter through everything that holds of every adapter, against a small appliance in
 * memory. It says nothing about whether the adapter's idea of its appliance is right: that is what
 * a rehearsal is for.
 *
 * @param load a new adapter each time, so that what one remembers can be told.
 */
export const checkConformance = async (
  load: () => Promise<unknown>,
  specimen: Specimen,
): Promise<ConformanceReport> => {
  const make = async (): Promise<Bench> => new Bench((await load()) as AnyAdapter, specimen);
  const results: CheckResult[] = [];
  for (const check of Object.keys(CONFORMANCE_CHECKS) as ConformanceCheck[]) {
    const said = await outcomeOf(async () => RUN[check](await make(), make));
    results.push({ check, ok: said === null, found: said });
    // What is no adapter has nothing to be checked.
    if (check === "DECLARES" && said !== null) break;
  }
  return { conforms: results.every(({ ok }) => ok), results };
};

const outcomeOf = async (act: () => Promise<void>): Promise<string | null> => {
  try {
    await act();
    return null;
  } catch (error) {
    if (error instanceof Finding) return error.message;
    return isRefusal(error)
      ? `refuses what the specimen has it do: ${(error as { code?: string }).code}`
      : `throws ${shortName(error)} where nothing is wrong`;
  }
};
