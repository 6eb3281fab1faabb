import type { Reason } from "../decision/index.js";

/**
 * Why nothing may go out now, or null. Guard: where the way out hangs on something outside of the
 * policy, such as a boundary that was read back, this is the only place that asks for it. A broker
 * that nobody told of such a thing has none.
 */
export const withheldFor = (withheld: (() => Reason | null) | undefined): Reason | null =>
  withheld === undefined ? null : withheld();
