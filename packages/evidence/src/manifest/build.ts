import { digest } from "../schema/common.js";
import { nullable, object, text } from "../schema/reader.js";

/** What did it: Drydock's own code and what runs it. */
export const build = object({
  version: text(64, 1),
  drydock: digest,
  native: nullable(digest),
  node: object({ version: text(64, 1), digest }),
});
