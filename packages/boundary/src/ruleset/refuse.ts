import { DrydockError } from "@drydock/evidence";
import type { BoundaryCode } from "../codes.js";

/** A ruleset that this project can't write, or couldn't recognise after writing it. */
export const refuse = (what: string): never => {
  throw new DrydockError<BoundaryCode>("RULESET_INVALID", what, {
    fix: "this is a defect of whoever made the ruleset; report it with the plan and the policy",
  });
};
