import { display } from "../names/display.js";
import type { SealNote } from "./result.js";

/** One line for whoever asked for the seal. */
export const describeNote = (note: SealNote): string => {
  switch (note.kind) {
    case "uncommitted": {
      const { staged, modified, untracked, conflicted } = note;
      const counts = Object.entries({ staged, modified, untracked, conflicted })
        .filter(([, count]) => count > 0)
        .map(([what, count]) => `${count} ${what}`);
      return `uncommitted files were left out: ${counts.join(", ")} (--working-tree seals files as they are)`;
    }
    case "uncommitted-unknown":
      return `what isn't committed is not known: ${display(note.reason)}`;
    case "shallow-source":
      return "the source has no complete history; the sealed commit itself is complete";
    case "unauthenticated-remote":
      return "fetched over a protocol that authenticates nobody; the commit's id still binds its contents";
  }
};
