import type { ReconciliationOutcome } from "./event.js";
import type { ContractState, InterruptedState } from "./model.js";

interface Conclusion {
  readonly about: InterruptedState;
  readonly leadsTo: ContractState;
  /** The target was observed changed: what it is now is sealed. */
  readonly sealsFingerprint: boolean;
  /** The target was observed: it has to be the contract's. */
  readonly namesLocator: boolean;
}

/** What each signed outcome means. */
const CONCLUSIONS: Readonly<Record<ReconciliationOutcome, Conclusion>> = {
  confirmed_applied: {
    about: "EXECUTING",
    leadsTo: "VERIFIED",
    sealsFingerprint: true,
    namesLocator: true,
  },
  confirmed_not_applied: {
    about: "EXECUTING",
    leadsTo: "FAILED",
    sealsFingerprint: false,
    namesLocator: false,
  },
  confirmed_rollback_applied: {
    about: "ROLLING_BACK",
    leadsTo: "ROLLED_BACK",
    sealsFingerprint: false,
    namesLocator: true,
  },
  confirmed_rollback_not_applied: {
    about: "ROLLING_BACK",
    leadsTo: "ROLLBACK_FAILED",
    sealsFingerprint: false,
    namesLocator: false,
  },
};

export const conclusionOf = (outcome: ReconciliationOutcome): Conclusion => CONCLUSIONS[outcome];
