import { ENDPOINTS, type HttpMethod } from "@drydock/acceptance";

/** Guard: whatever the types say, what isn't in the table is not sent. */
export const writablePath = (symbol: string, method: HttpMethod): string | null => {
  if (!Object.hasOwn(ENDPOINTS, symbol)) return null;
  const { path, methods } = ENDPOINTS[symbol as keyof typeof ENDPOINTS];
  return methods.some((allowed) => allowed === method) ? path : null;
};
