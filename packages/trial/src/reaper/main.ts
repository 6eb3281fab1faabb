import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { INCOMPLETE_FILE } from "@drydock/evidence";
import { openSqliteLedger } from "@drydock/ledger";
import { destroySlot, readOwner, slotAt } from "@drydock/vm";
import { layoutOf, runLayout } from "../home/index.js";
import { handOver } from "../launcher/run-directory.js";

/**
 * What the reaper does once its wait has ended: the run's controller or launcher is gone, or its
 * deadline is over. It removes the run, whoever still lives of it, and says that it is incomplete.
 *
 * Arguments: slot number, run, state directory, evidence directory.
 */
const [number = "", run = "", state = "", evidence = ""] = process.argv.slice(2);

const slot = slotAt(Number(number), run);
const owners = readOwner(slot)?.owners ?? [];
for (const { role, pid } of owners) {
  // Our own entry, and the launcher's, who is a user's process and not ours to kill.
  if (role !== "controller") continue;
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
const leftovers = await destroySlot(slot);
rmSync(join(layoutOf(state).runs, `.scratch-${run}`), { recursive: true, force: true });

const layout = runLayout(evidence);
if (existsSync(layout.directory) && !existsSync(layout.verdict)) {
  const marker = join(layout.directory, INCOMPLETE_FILE);
  const text = JSON.stringify({ at: new Date().toISOString(), by: "reaper", run });
  if (!existsSync(marker)) writeFileSync(marker, text, { mode: 0o600 });
  handOver(layout.directory, 0, 0);
}

const ledger = openSqliteLedger({
  path: layoutOf(state).ledger,
  ceiling: { liveBodies: 0, memoryBytes: 0, cpuMillis: 0, diskBytes: 0, wallMillis: 0 },
  // The reaper starts nothing, whatever the halt state is.
  readHalt: () => ({ halted: true, generation: 0 }),
  clock: () => Date.now(),
});
await ledger.markIncomplete(run, "REAPED", { gone: leftovers.length === 0 });
ledger.close();
