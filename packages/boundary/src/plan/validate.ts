import { canonicalise, isDrydockError } from "@drydock/evidence";
import { refuse } from "../codes.js";
import type { ProvisioningPlan } from "../model/index.js";
import { parsePlan } from "./parse.js";
import { planDocument } from "./print.js";

/**
 * For a plan that no file was read for: written down and read again it has to be what it was. Guard:
 * a backend that trusts a program's plan compiles rules that no author could have written.
 *
 * @throws DrydockError PLAN_DIRECT_INVALID
 */
export const validatePlan = (plan: ProvisioningPlan): void => {
  if (canonical(() => plan) === canonical(() => readAgain(plan))) return;
  invalid("its text means something else");
};

const readAgain = (plan: ProvisioningPlan): ProvisioningPlan =>
  parsePlan(Buffer.from(JSON.stringify(planDocument(plan))), { file: "plan" });

/** Everything but where it stood. */
const canonical = (make: () => ProvisioningPlan): string => {
  try {
    const { default: fallback, networks, nodes, rules } = make();
    return canonicalise({
      fallback,
      networks: networks.map(({ line: _, ...network }) => network),
      nodes: nodes.map(({ line: _, ...node }) => node),
      rules: rules.map(({ line: _, ...rule }) => rule),
    });
  } catch (error) {
    // A value of another type than its own ends in a TypeError, which says as much.
    if (!isDrydockError(error) && !(error instanceof TypeError)) throw error;
    return invalid(error.message, error);
  }
};

const invalid = (what: string, cause?: unknown): never =>
  refuse("PLAN_DIRECT_INVALID", `a plan that no author could have written: ${what}`, {
    fix: "Make it with parsePlan.",
    cause,
  });
