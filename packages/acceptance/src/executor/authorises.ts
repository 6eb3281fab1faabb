import type { Scope } from "../canonical/index.js";

/** What may be changed at all, and by which request: exact, without patterns. */
export interface ExecutionPolicy {
  readonly grants: readonly Scope[];
}

export const authorises = (
  { grants }: ExecutionPolicy,
  { capability, endpointSymbol, httpMethod }: Scope,
): boolean =>
  grants.some(
    (grant) =>
      grant.capability === capability &&
      grant.endpointSymbol === endpointSymbol &&
      grant.httpMethod === httpMethod,
  );
