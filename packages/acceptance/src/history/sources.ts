import type { EndpointSymbol } from "../client/index.js";
import { pfsenseRevisions } from "./pfsense-revisions.js";
import { historyRefusal } from "./refusal.js";
import type { HistorySource } from "./source.js";

/**
 * Whose history is captured before something is sent to an endpoint. It isn't an option: nothing
 * that an executor is handed can leave a history out, and an endpoint that is added has to say here
 * what its appliance has. Null is an appliance that keeps none.
 */
export const HISTORY_SOURCES: Readonly<Record<EndpointSymbol, HistorySource | null>> =
  Object.freeze({
    FIREWALL_ALIAS: pfsenseRevisions,
    SYNTHETIC_NOTICE: null,
  });

/** @throws DrydockError HISTORY_UNKNOWN */
export const historySourceOf = (endpointSymbol: string): HistorySource | null => {
  if (!isKnown(endpointSymbol)) throw historyRefusal("HISTORY_UNKNOWN");
  return HISTORY_SOURCES[endpointSymbol];
};

const isKnown = (symbol: string): symbol is EndpointSymbol =>
  Object.hasOwn(HISTORY_SOURCES, symbol);
