import { pfsenseAliasDescription } from "@drydock/acceptance";
import { DrydockError } from "@drydock/evidence";
import { type PreflightInputs, type PreflightReport, preflight } from "./preflight.js";

const TEST_CASE = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;

export interface DryRunReport extends PreflightReport {
  readonly operation: {
    readonly mode: "READ_ONLY_DRY_RUN";
    readonly semantic_unit: string;
    readonly method: string;
    readonly endpoint_symbol: string;
    readonly test_case_id: string;
    readonly sent: false;
  };
}

/** @throws DrydockError LAB_TEST_CASE */
export const requireTestCase = (id: string): void => {
  if (!TEST_CASE.test(id))
    throw new DrydockError("LAB_TEST_CASE", "the test case's id is refused", {
      fix: "Use 1 to 64 letters, digits, _, . and -, beginning with a letter or digit.",
    });
};

/**
 * A preflight, and what would be sent after one. It is given nothing that can write.
 *
 * @throws DrydockError LAB_TEST_CASE, and what `preflight` throws
 */
export const dryRun = async (
  inputs: PreflightInputs,
  testCaseId: string,
): Promise<DryRunReport> => {
  requireTestCase(testCaseId);
  const { semanticUnit, httpMethod, endpointSymbol } = pfsenseAliasDescription;
  return {
    ...(await preflight(inputs)),
    operation: {
      mode: "READ_ONLY_DRY_RUN",
      semantic_unit: semanticUnit,
      method: httpMethod,
      endpoint_symbol: endpointSymbol,
      test_case_id: testCaseId,
      sent: false,
    },
  };
};
