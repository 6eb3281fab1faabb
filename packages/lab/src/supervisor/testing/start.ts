import { startRehearsal } from "../start-rehearsal.js";

/** Somebody who starts a rehearsal and doesn't live to see its end. */
const [directory = ""] = process.argv.slice(2);
const rehearsal = startRehearsal({ directory, seed: 1 });
for await (const { type } of rehearsal.events)
  if (type === "began") process.stdout.write(`${rehearsal.supervisor}\n`);
