import type { KillPoint } from "../model.js";
import { keyText } from "../worker/job.js";
import { runWorker, type WorkerEnd } from "../worker/start.js";
import type { World } from "../world.js";
import type { Stage } from "./stage.js";

/** Has a process of its own take a step of a contract, and be killed at one point of it. */
export const killDuring = (
  { credential }: Pick<World, "credential">,
  { handed, session, endpoint, intent, clock }: Stage,
  step: {
    readonly step: "execute" | "rollback";
    readonly contractId: string;
    readonly killAt: KillPoint;
  },
): Promise<WorkerEnd> => {
  const { directory, anchorDirectory, storeId, key } = handed;
  return runWorker({
    ...{ ...step, intent, endpoint: endpoint() },
    store: { directory, anchorDirectory, storeId, key: keyText(key) },
    artifactKey: keyText(session.artifactKey),
    apiKey: credential.reveal(),
    aheadMs: clock.aheadMs,
  });
};
