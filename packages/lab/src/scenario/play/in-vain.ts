import type { ExchangeRecord } from "@drydock/faults";

/** What was to happen to a cycle, in words. */
export type Arranged =
  /** By the fault proxy, which calls it so. */
  | { readonly what: string; readonly arming: string }
  /** By somebody who knows whether it came about. */
  | { readonly what: string; readonly came: boolean };

/**
 * Guard: those that had no effect. A cycle that ends as it should although its fault never fired
 * shows what happens without one.
 */
export const arrangedInVain = (
  arranged: readonly Arranged[],
  exchanges: readonly ExchangeRecord[],
): readonly string[] =>
  arranged
    .filter((one) => !("came" in one ? one.came : tookEffect(one.arming, exchanges)))
    .map(({ what }) => what);

const tookEffect = (arming: string, exchanges: readonly ExchangeRecord[]): boolean =>
  exchanges.some(({ fault }) => fault?.arming === arming && fault.took.length > 0);
