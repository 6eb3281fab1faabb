import type { Digest, PublicKey } from "@drydock/evidence";
import { isFresh } from "./fresh.js";
import { isReadbackReceiptSigned, readReadbackReceipt } from "./receipt.js";

/** Why a receipt doesn't let anything out. */
export type ReadbackFault =
  /** There is none. */
  | "missing"
  /** It is none, or not the trusted key's. */
  | "unsigned"
  /** It is for another policy. */
  | "different"
  /** The rules weren't what they have to be. */
  | "failed"
  /** Too old, from the future, or from before this kernel started. */
  | "stale";

export interface ReadbackDemand {
  readonly policyDigest: Digest;
  /** Whose receipts count. It comes from whoever asks, never with the receipt. */
  readonly key: PublicKey;
  readonly freshnessSeconds: number;
  /** Of the kernel that asks. */
  readonly bootId: string;
}

/**
 * What is wrong with a receipt at the time `now`, in milliseconds since 1970, or null. Guard: the
 * broker lets nothing out without it. Nothing that a receipt says counts before its signature does.
 *
 * @param bytes null where there is no file, or it can't be read.
 */
export const judgeReadbackReceipt = (
  bytes: Uint8Array | null,
  { policyDigest, key, freshnessSeconds, bootId }: ReadbackDemand,
  now: number,
): ReadbackFault | null => {
  if (bytes === null) return "missing";
  const signed = readReadbackReceipt(bytes);
  if (signed === null || !isReadbackReceiptSigned(signed, key)) return "unsigned";
  const { receipt } = signed;
  if (receipt.policyDigest !== policyDigest) return "different";
  if (!receipt.ok) return "failed";
  if (receipt.bootId !== bootId || !isFresh(receipt, freshnessSeconds, now)) return "stale";
  return null;
};
