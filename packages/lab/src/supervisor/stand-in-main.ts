import { randomBytes } from "node:crypto";
import { obey, startAppliance } from "../appliance/index.js";
import { readJob } from "./read-job.js";
import { runProgram } from "./run-program.js";
import { standInJob } from "./stand-in-protocol.js";

/** So that a rehearsal doesn't wait for rules that nothing filters by. */
const RELOAD_MS = 20;

/** The appliance of one rehearsal: it serves until its supervisor closes the pipe. */
runProgram("stand-in", async () => {
  const { configuration, ...rest } = readJob(standInJob);
  const appliance = await startAppliance({
    ...rest,
    setUp: { accounts: [], configuration },
    clock: Date.now,
    random: randomBytes,
    timing: { reloadMs: RELOAD_MS },
  });
  process.stdout.write('{"ready":true}\n');
  await obey(appliance, { input: process.stdin, output: process.stdout });
  await appliance.close();
});
