import { linesOf } from "./lines.js";
import type { EndCause } from "./model.js";
import { readJob } from "./read-job.js";
import { runProgram } from "./run-program.js";
import { supervisorJob } from "./starter-protocol.js";
import { supervise } from "./supervise.js";

/** Outlives whoever started it: what that says, and that it is gone, come by the same pipe. */
const heard = async (): Promise<EndCause> => {
  for await (const line of linesOf(process.stdin)) if (line.toString() === "stop") return "stopped";
  return "starter-gone";
};

runProgram("supervisor", async () => {
  // Whoever started it may be gone, and its terminal as well; the exit is verified all the same.
  for (const pipe of [process.stdout, process.stderr]) pipe.on("error", () => undefined);
  const signalled = new Promise<EndCause>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
      process.on(signal, () => resolve("stopped"));
  });

  const report = await supervise({
    job: readJob(supervisorJob),
    stopped: Promise.race([signalled, heard().catch((): EndCause => "starter-gone")]),
    tell: (event) => void process.stdout.write(`${JSON.stringify(event)}\n`),
  });
  const isConfirmed = report.permissionRevoked && report.readOnlyConfirmed;
  if (!isConfirmed)
    process.stderr.write(
      "drydock: THE EXIT IS NOT CONFIRMED. The lab's permission may still be in force: take it away by hand.\n",
    );
  process.exitCode = isConfirmed ? 0 : 1;
  process.stdin.destroy();
});
