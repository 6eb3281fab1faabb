import type { Scope } from "../canonical/index.js";

/** Which operation an adapter's digests belong to. */
export const scopeOf = ({ capability, endpointSymbol, httpMethod }: Scope): Scope => ({
  capability,
  endpointSymbol,
  httpMethod,
});
