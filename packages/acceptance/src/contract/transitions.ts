import type { ContractState } from "./model.js";

/**
 * Who may take a step. `automatic`: whoever works on the contract. `dedicated`: only the call that
 * seals or compares what was observed, in the same transaction. `manual`: only signed evidence.
 */
export type Authority = "automatic" | "dedicated" | "manual";

const LEADS_TO: Readonly<
  Record<ContractState, Readonly<Partial<Record<ContractState, Authority>>>>
> = {
  PREPARING: { PREPARED: "automatic", FAILED: "automatic", EXPIRED: "automatic" },
  PREPARED: { EXECUTING: "automatic", FAILED: "automatic", EXPIRED: "automatic" },
  EXECUTING: { VERIFIED: "dedicated", FAILED: "automatic", RECONCILIATION: "automatic" },
  VERIFIED: { ROLLING_BACK: "automatic" },
  ROLLING_BACK: {
    ROLLED_BACK: "dedicated",
    ROLLBACK_FAILED: "automatic",
    RECONCILIATION: "automatic",
  },
  RECONCILIATION: {
    VERIFIED: "manual",
    FAILED: "manual",
    // Legal, and no conclusion leads there yet: a rollback starts from VERIFIED.
    ROLLING_BACK: "manual",
    ROLLED_BACK: "manual",
    ROLLBACK_FAILED: "manual",
  },
  ROLLED_BACK: {},
  ROLLBACK_FAILED: {},
  FAILED: {},
  EXPIRED: {},
};

/** Whether this authority may take a contract from one state to another; nothing else ever may. */
export const mayTransition = (
  from: ContractState,
  to: ContractState,
  authority: Authority,
): boolean => LEADS_TO[from][to] === authority;
