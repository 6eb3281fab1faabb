import { DrydockError } from "@drydock/evidence";
import { ACCEPTANCE_CODES, type AcceptanceCode } from "../codes.js";

const FIXES = {
  CONTRACT_TRANSITION: "Look at the contract; only what is VERIFIED is taken back.",
  EXECUTOR_UNAUTHORISED:
    "Grant exactly this capability, endpoint and method, or use another adapter.",
  EXECUTOR_ADAPTER_DIFFERENT:
    "Use the adapter, and its version, that the contract was prepared with.",
  EXECUTOR_ADAPTER_BROKEN: "Run the adapter through the conformance kit.",
  EXECUTOR_INTENT_DIFFERENT: "Give the intent that the contract was prepared with.",
  EXECUTOR_TARGET_DIFFERENT: "Run the adapter through the conformance kit.",
  EXECUTOR_TARGET_UNFIT: "Change this target by hand.",
  EXECUTOR_HISTORY_UNAVAILABLE: "Ask for it again once the appliance shows its history.",
  EXECUTOR_SENT_ALREADY: "Look at the contract; nothing is sent twice.",
} as const satisfies Partial<Record<AcceptanceCode, string>>;

export type ExecutorCode = keyof typeof FIXES;

/**
 * It takes no cause and no text, since either could carry a value.
 *
 * @param word what `wordFor` made of an error
 */
export const refusal = (code: ExecutorCode, word?: string): DrydockError<ExecutorCode> =>
  new DrydockError(code, [ACCEPTANCE_CODES[code], ...(word ? [`It was ${word}.`] : [])].join(" "), {
    fix: FIXES[code],
  });
