import type { RunRow } from "@drydock/ledger";
import { isProcessAlive, readBootId } from "@drydock/vm";

/** Whether the controller of a run still lives: that very process, in this boot. */
export const isOwned = ({ owner }: Pick<RunRow, "owner">): boolean =>
  owner.bootId === readBootId() && isProcessAlive({ pid: owner.pid, startTime: owner.startTicks });
