import { historyHeadDigest } from "../canonical/index.js";
import type { ReadClient } from "../client/index.js";
import type { HexDigest, RecoveryContract } from "../contract/index.js";
import { historySourceOf } from "../history/index.js";
import { readOnly } from "./read-only.js";

/**
 * Asks once what the appliance's own history has at its head. Nothing is sent before this is
 * answered: where nobody could say what to go back to, nobody should have to.
 *
 * @returns the newest revision's digest; null for an appliance that keeps no history
 * @throws DrydockError HISTORY_…, or what the client throws
 */
export const captureHistory = async (
  { endpointSymbol }: Pick<RecoveryContract, "endpointSymbol">,
  client: ReadClient,
): Promise<HexDigest | null> => {
  const source = historySourceOf(endpointSymbol);
  if (source === null) return null;
  const head = source.headOf(await readOnly(client).get(source.path, source.query));
  return historyHeadDigest(source.path, head);
};
