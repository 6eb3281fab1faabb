import { imageError } from "../errors.js";
import type { ArchiveLimits } from "./limits.js";

type Spent = Pick<ArchiveLimits, "bytes" | "entries">;

/** Called before an entry's content is read, with what its header promises. */
export const checkBudget = (spent: Spent, limits: Spent): void => {
  if (spent.entries > limits.entries) {
    throw imageError("IMAGE_BOUND", `the archive has more than ${limits.entries} entries`);
  }
  if (spent.bytes > limits.bytes) {
    throw imageError("IMAGE_BOUND", `the archive holds more than ${limits.bytes} bytes`);
  }
};
