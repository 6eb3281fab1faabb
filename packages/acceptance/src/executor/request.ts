import { canonicalise, isJsonObject, type JsonObject } from "@drydock/evidence";
import type { Scope } from "../canonical/index.js";
import { type ApplianceRequest, ENDPOINTS } from "../client/index.js";
import { refusal } from "./refusal.js";

/**
 * The one request that an adapter built, copied key by key: it goes where the adapter declared, by
 * the method that it declared, and holds nothing but JSON.
 *
 * @throws DrydockError EXECUTOR_ADAPTER_BROKEN
 */
export const checkedRequest = (
  { endpointSymbol, httpMethod }: Scope,
  built: ApplianceRequest,
): ApplianceRequest => {
  const { method, endpoint, body, ...more } = built;
  const sound =
    Object.keys(more).length === 0 &&
    method === httpMethod &&
    endpoint === endpointSymbol &&
    Object.hasOwn(ENDPOINTS, endpoint) &&
    ENDPOINTS[endpoint].methods.some((allowed) => allowed === method) &&
    isJsonObject(body);
  if (!sound) throw refusal("EXECUTOR_ADAPTER_BROKEN");
  // A copy: what the adapter still holds of it can't change on its way out.
  return { method, endpoint, body: JSON.parse(canonicalise(body)) as JsonObject };
};
