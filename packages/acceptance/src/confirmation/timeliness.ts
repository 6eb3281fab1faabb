import type { Millis, RecoveryContract } from "../contract/model.js";

/** Between an authority's clock and the store's. */
const MAX_SKEW_MS = 30_000;

/** Whether evidence was signed after the contract came to be and not in the future. */
export const isTimely = (
  { issuedAt }: { readonly issuedAt: Millis },
  { createdAt }: Pick<RecoveryContract, "createdAt">,
  at: Millis,
): boolean => issuedAt >= createdAt - MAX_SKEW_MS && issuedAt <= at + MAX_SKEW_MS;
