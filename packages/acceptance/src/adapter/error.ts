import { DrydockError } from "@drydock/evidence";

const doc = (what: string, fix: string) => ({ what, fix });

/** Why an adapter refuses. Codes are stable. */
export const ADAPTER_CODES = {
  INTENT_INVALID: doc(
    "the intent isn't one of this adapter's",
    "Give exactly the keys that the adapter documents, each within its bounds.",
  ),
  INTENT_CHANGES_NOTHING: doc(
    "the target already is what the intent asks for",
    "There is nothing to change.",
  ),
  IDENTITY_INVALID: doc(
    "the identity isn't one of this adapter's",
    "Prepare the change again with this adapter.",
  ),
  SNAPSHOT_INVALID: doc(
    "the snapshot isn't one of this adapter's",
    "Restore the appliance from its own backup.",
  ),
  READ_REFUSED: doc(
    "the appliance refused the read",
    "Check that the identity may read this endpoint.",
  ),
  ANSWER_INVALID: doc(
    "the appliance's answer isn't what its version documents",
    "Check the appliance's API version.",
  ),
  ANSWER_INCOMPLETE: doc(
    "the appliance's list may be longer than what was read",
    "This appliance has too many objects for this adapter.",
  ),
  TARGET_ABSENT: doc("no target has this identity", "Create it first, or correct the intent."),
  TARGET_AMBIGUOUS: doc(
    "more than one target could have this identity",
    "Remove the other one first.",
  ),
  TARGET_UNSUPPORTED: doc(
    "the target isn't of a kind that this adapter changes",
    "Change it by hand.",
  ),
} as const;

export type AdapterErrorCode = keyof typeof ADAPTER_CODES;

/** It takes no text and no cause, since either could carry a value. */
export class AdapterError extends DrydockError<AdapterErrorCode> {
  constructor(code: AdapterErrorCode) {
    super(code, ADAPTER_CODES[code].what, { fix: ADAPTER_CODES[code].fix });
  }
}
