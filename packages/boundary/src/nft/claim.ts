import { DrydockError } from "@drydock/evidence";
import type { BoundaryCode } from "../codes.js";
import type { NetworkNamespace } from "./namespace.js";
import { runTool, succeeded } from "./tool.js";

/** `change`: beside nobody. `watch`: beside others who watch. */
export type Claim = "change" | "watch";

/**
 * A guard: whoever changes an appliance does it alone. Each of two applies decides from what the
 * other is about to change, and what they leave could be partly either's.
 *
 * The lock is on the namespace itself (flock(2)), so that there is one whatever it is called by, and
 * belongs to the open descriptor. It ends when that is closed everywhere: with a process that is
 * killed, and not before the programs end that it was running in there.
 *
 * @throws DrydockError NAMESPACE_BUSY
 */
export const claimNamespace = async (
  { descriptor, toolDirectories: directories }: NetworkNamespace,
  claim: Claim,
): Promise<void> => {
  const exit = await runTool({
    directories,
    tool: "flock",
    args: [LOCK[claim], "--nonblock", "--conflict-exit-code", String(TAKEN), "3"],
    extra: descriptor,
    maxBytes: MAX_BYTES,
    deadlineMs: DEADLINE_MS,
  });
  if (exit.code === TAKEN) {
    throw new DrydockError<BoundaryCode>("NAMESPACE_BUSY", BUSY[claim], {
      fix: "Wait until that has ended, or end it.",
    });
  }
  succeeded("flock", exit);
};

const LOCK = { change: "--exclusive", watch: "--shared" } as const;
const BUSY = {
  change: "somebody else is changing this appliance, or watches over it",
  watch: "somebody is changing this appliance",
} as const;

/** None that flock(1) has for anything else. */
const TAKEN = 75;
const MAX_BYTES = 1_024;
/** It waits for nobody: a machine that is busy takes so long to start it. */
const DEADLINE_MS = 30_000;
