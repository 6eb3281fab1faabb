import type { ReadbackReceipt } from "./receipt.js";

/**
 * Guard: whether a receipt is of now, at a time in milliseconds since 1970. One from the future isn't:
 * whoever writes and whoever reads have the same kernel's clock, and it was set back in between.
 */
export const isFresh = (
  { observedAt }: Pick<ReadbackReceipt, "observedAt">,
  freshnessSeconds: number,
  now: number,
): boolean => {
  const age = now - Date.parse(observedAt);
  // False where the text is no date.
  return age >= 0 && age <= freshnessSeconds * 1_000;
};
