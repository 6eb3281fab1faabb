import { AdapterError } from "../../adapter/index.js";
import type { ApplianceRequest } from "../../client/index.js";
import type { Alias } from "./alias.js";
import type { AliasDescriptionIntent } from "./intent.js";

/**
 * Exactly three keys: the appliance ignores those that it doesn't know, merges those that it does,
 * and changes its filter at once unless `apply` is false.
 */
const patch = (id: number, descr: string): ApplianceRequest => ({
  method: "PATCH",
  endpoint: "FIREWALL_ALIAS",
  body: { id, descr, apply: false },
});

/** @throws AdapterError INTENT_CHANGES_NOTHING */
export const buildRequest = (intent: AliasDescriptionIntent, target: Alias): ApplianceRequest => {
  if (intent.new_description === target.descr) throw new AdapterError("INTENT_CHANGES_NOTHING");
  return patch(target.id, intent.new_description);
};

export const buildRollbackRequest = (snapshot: Alias, target: Alias): ApplianceRequest =>
  patch(target.id, snapshot.descr);
