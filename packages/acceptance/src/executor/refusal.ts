import { DrydockError } from "@drydock/evidence";
import { ACCEPTANCE_CODES, type AcceptanceCode } from "../codes.js";

const FIXES = {
  EXECUTOR_UNAUTHORISED:
    "Grant exactly this capability, endpoint and method, or use another adapter.",
  EXECUTOR_ADAPTER_DIFFERENT:
    "Use the adapter, and its version, that the contract was prepared with.",
  EXECUTOR_ADAPTER_BROKEN: "Run the adapter through the conformance kit.",
  EXECUTOR_INTENT_DIFFERENT: "Give the intent that the contract was prepared with.",
  EXECUTOR_TARGET_DIFFERENT: "Run the adapter through the conformance kit.",
  EXECUTOR_TARGET_UNFIT: "Change this target by hand.",
  EXECUTOR_SENT_ALREADY: "Look at the contract; nothing is sent twice.",
} as const satisfies Partial<Record<AcceptanceCode, string>>;

export type ExecutorCode = keyof typeof FIXES;

/** It takes no text and no cause, since either could carry a value. */
export const refusal = (code: ExecutorCode): DrydockError<ExecutorCode> =>
  new DrydockError(code, ACCEPTANCE_CODES[code], { fix: FIXES[code] });
