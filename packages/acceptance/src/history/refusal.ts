import { DrydockError } from "@drydock/evidence";
import { ACCEPTANCE_CODES, type AcceptanceCode } from "../codes.js";

const FIXES = {
  HISTORY_UNKNOWN: "Say in this version which history belongs to the endpoint.",
  HISTORY_REFUSED: "Check that the identity may read the history, and that the appliance has one.",
  HISTORY_INVALID: "Check the appliance's API version.",
  HISTORY_EMPTY: "Save the appliance's configuration once, so that it keeps a revision.",
  HISTORY_DISORDERED: "Look at the appliance's history, and back its configuration up by hand.",
  HISTORY_UNRESTORABLE:
    "Save the appliance's configuration once, so that it keeps a whole revision.",
} as const satisfies Partial<Record<AcceptanceCode, string>>;

type HistoryCode = keyof typeof FIXES;

/** It takes no text and no cause: descriptions of revisions name people and addresses. */
export const historyRefusal = (code: HistoryCode): DrydockError<HistoryCode> =>
  new DrydockError(code, ACCEPTANCE_CODES[code], { fix: FIXES[code] });
