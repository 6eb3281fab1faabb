import { setTimeout as pause } from "node:timers/promises";
import { hearStarter } from "./hear-starter.js";
import type { EndCause } from "./model.js";
import { readJob } from "./read-job.js";
import { runProgram } from "./run-program.js";
import { search } from "./search.js";
import { makeSetUp } from "./set-up.js";
import { supervisorJob } from "./starter-protocol.js";
import { supervise } from "./supervise.js";

/** Whoever asks for a search has nothing to do before it that takes long. */
const SEARCH_MS = 60_000;

runProgram("supervisor", async () => {
  // Whoever started it may be gone, and its terminal as well; the exit is verified all the same.
  for (const pipe of [process.stdout, process.stderr]) pipe.on("error", () => undefined);
  const signalled = new Promise<EndCause>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
      process.on(signal, () => resolve("stopped"));
  });

  // Nobody else could take the permission away: an error ends the playing, and not this process.
  const failed = new Promise<EndCause>((resolve) =>
    process.on("uncaughtException", (error) => {
      process.stderr.write(`drydock: the supervisor goes on after: ${String(error)}\n`);
      resolve("supervisor-failed");
    }),
  );

  // Outlives whoever started it.
  const { stopped, toSearch } = hearStarter(process.stdin);
  const say = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
  const job = readJob(supervisorJob);
  const { exit: report, withheld } = await supervise({
    job,
    makeSetUp,
    stopped: Promise.race([signalled, failed, stopped]),
    tell: say,
  });
  if (job.isSearched) {
    const directories = await Promise.race([toSearch, pause(SEARCH_MS, null, { ref: false })]);
    if (directories !== null) say({ type: "searched", scan: search(directories, withheld) });
  }
  const isConfirmed = report.permissionRevoked && report.readOnlyConfirmed;
  if (!isConfirmed)
    process.stderr.write(
      "drydock: THE EXIT IS NOT CONFIRMED. The lab's permission may still be in force: take it away by hand.\n",
    );
  process.exitCode = isConfirmed ? 0 : 1;
  process.stdin.destroy();
});
