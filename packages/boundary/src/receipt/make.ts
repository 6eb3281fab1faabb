import type { ObservedTopology } from "../model/index.js";
import { isProven, type Proof } from "../realise/index.js";
import type { ReadbackReceipt } from "./receipt.js";

/**
 * What a proof comes to, or null where there is no platform: nobody's egress depends on it.
 *
 * @param observedAt the time before the first thing that the proof rests on was read.
 */
export const readbackReceiptOf = (
  proof: Proof,
  { bootId, daemonId }: Pick<ObservedTopology, "bootId" | "daemonId">,
  observedAt: Date,
): ReadbackReceipt | null => {
  const { platform, expected } = proof;
  if (platform === null) return null;
  return {
    policyDigest: platform.policyDigest,
    rulesets: expected.map(({ authority, digest }) => ({ authority, digest })),
    bootId,
    daemonId,
    observedAt: observedAt.toISOString(),
    // Before the anchors run the table is the floor: it holds, and nothing may go out by it.
    ok: platform.egress !== null && isProven(proof),
  };
};
