import { AdapterError } from "../../adapter/index.js";
import type { AliasRow } from "./envelope.js";

/**
 * The one row with exactly this name. Numbers don't count: the appliance gives them out anew when
 * an alias above is removed. A name that only NFC makes the same is one too many.
 *
 * @throws AdapterError TARGET_ABSENT, TARGET_AMBIGUOUS
 */
export const findTarget = (rows: readonly AliasRow[], name: string): AliasRow => {
  const [found, ...others] = rows.filter((row) => row.name.normalize("NFC") === name);
  if (found === undefined) throw new AdapterError("TARGET_ABSENT");
  if (others.length > 0 || found.name !== name) throw new AdapterError("TARGET_AMBIGUOUS");
  return found;
};
