import { SCENARIOS } from "../../scenario/index.js";
import { openLab } from "../../testing/open-lab.js";
import { runFullAcceptance } from "../run-full-acceptance.js";

/**
 * The program of the scenarios' test: all of a rehearsal in one process. Prints what came of it.
 */
const lab = await openLab(JSON.parse(process.argv[2] ?? "{}"));
const lying = { ...lab.exit, revoke: async () => undefined };
const reports = {
  // A revocation that only says so: the key still works, and nothing is read-only.
  lying: await runFullAcceptance(lab.world, lying, { seed: 1, scenarios: SCENARIOS.slice(0, 1) }),
  full: await runFullAcceptance(lab.world, lab.exit, { seed: 1 }),
};
process.stdout.write(JSON.stringify(reports));
await lab.close();
