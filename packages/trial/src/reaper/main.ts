import { rmSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { destroySlot, isProcessAlive, readOwner, type Slot, slotAt, sweepStale } from "@drydock/vm";
import { layoutOf } from "../home/index.js";
import { giveUpRun, scratchOf } from "../recovery/index.js";

/**
 * What the reaper does once its wait has ended: the run's controller or launcher is gone, or its
 * deadline is over. It removes the run, whoever still lives of it, and says that it is incomplete.
 *
 * Arguments: slot number, run, state directory.
 */
const [number = "", run = "", state = ""] = process.argv.slice(2);

/** A killed process is gone in milliseconds; one in an uninterruptible wait may never be. */
const PATIENCE_MS = 5_000;
const POLL_MS = 5;

/**
 * The controller's user is that of every run's controller, so it is found by its number and start
 * time. The launcher is a user's process and not ours to kill.
 */
const killController = async (slot: Slot): Promise<void> => {
  const controllers = (readOwner(slot)?.owners ?? []).filter(({ role }) => role === "controller");
  const deadline = performance.now() + PATIENCE_MS;
  for (const controller of controllers) {
    while (isProcessAlive(controller) && performance.now() < deadline) {
      kill(controller.pid);
      await delay(POLL_MS);
    }
  }
};

const kill = (pid: number): void => {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
};

const remove = async (): Promise<void> => {
  const slot = slotAt(Number(number), run);
  const layout = layoutOf(state);
  await killController(slot);
  const leftovers = await destroySlot(slot);
  // With retries: a git process that dies with the launcher may still be writing there.
  rmSync(scratchOf(layout.runs, run), { recursive: true, force: true, maxRetries: 10 });
  await giveUpRun(layout, {
    run,
    reason: "REAPED",
    bodyGone: leftovers.length === 0,
    by: "reaper",
    at: new Date(),
  });
  // A launcher that died while it made a golden machine left that one's slot as well.
  await sweepStale();
  for (const { kind, what } of leftovers)
    process.stderr.write(`drydock reaper: run ${run}: cannot remove ${kind} ${what}\n`);
  process.exitCode = leftovers.length === 0 ? 0 : 1;
};

void remove();
