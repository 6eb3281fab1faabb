import type { JsonObject } from "@drydock/evidence";
import type { ApiPath, ReadAnswer } from "../client/index.js";

/**
 * Where an appliance lists what its configuration was, and which of it is the newest: what an
 * operator would go back to. Pure: whoever captures it does the one GET.
 */
export interface HistorySource {
  readonly path: ApiPath;
  /** Bounds the answer. */
  readonly query: Readonly<Record<string, number>>;
  /**
   * The newest revision, as far as the appliance describes it.
   *
   * @throws DrydockError HISTORY_… for an answer that doesn't name one beyond doubt
   */
  headOf(answer: ReadAnswer): JsonObject;
}
