import { signingKeyFromSeed } from "@drydock/evidence";
import { layoutOf, withJournal } from "../home/index.js";

/** Adds entries to a journal, as one controller of several does. */
const [state = "", number = "", count = ""] = process.argv.slice(2);
const key = signingKeyFromSeed(Buffer.alloc(32, 1));
for (let i = 0; i < Number(count); i++)
  await withJournal(layoutOf(state), key, (journal) =>
    journal.sealed({
      run: `run-${number}-${i}`,
      manifest: `sha256:${"1".repeat(64)}`,
      experiment: `sha256:${number.repeat(64).slice(0, 64)}`,
      wall: "2026-11-30T00:00:00.000Z",
    }),
  );
