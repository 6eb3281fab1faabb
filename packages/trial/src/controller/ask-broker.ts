import { DrydockError } from "@drydock/evidence";
import type { EGRESS } from "../contract/index.js";
import type { Calls } from "../link/index.js";
import type { RunContext } from "./context.js";

export const EGRESS_SILENT = "EGRESS_SILENT";

/**
 * Each answer takes a broker milliseconds. One that is silent for so long is stopped or spins; less
 * than the deadline of an ending's tasks, so that the ending hears of it by name.
 */
const BROKER_PATIENCE_MS = 8_000;

/**
 * Asks the run's broker. Null when there is none, or none any more: one that is gone holds nothing
 * open, and that it is gone ends the run by itself.
 *
 * @throws DrydockError EGRESS_SILENT
 */
export const askBroker = async <T>(
  { egress, timers }: Pick<RunContext, "egress" | "timers">,
  ask: (egress: Calls<typeof EGRESS>) => Promise<T>,
): Promise<T | null> => {
  if (egress === null) return null;
  let cancel = (): void => undefined;
  const silent = new Promise<never>((_resolve, reject) => {
    cancel = timers.after(BROKER_PATIENCE_MS, () =>
      reject(new DrydockError(EGRESS_SILENT, "the broker process doesn't answer")),
    );
  });
  try {
    return await Promise.race([ask(egress), silent]);
  } catch (error) {
    if ((error as { code?: string }).code === "LINK_CLOSED") return null;
    throw error;
  } finally {
    cancel();
  }
};
