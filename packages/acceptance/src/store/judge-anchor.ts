import type { HexDigest } from "../contract/index.js";
import type { StoreHead } from "./head.js";
import type { AnchorPoint } from "./port.js";

/**
 * What an anchor says of the store that it is asked about. `behind`: the store's last write was
 * durable before the anchor could be told, which is no harm.
 */
export type AnchorJudgement = "same" | "behind" | "rolled-back" | "foreign";

/** @param macAt MAC of the event with this sequence; of nothing before the first for 0. */
export const judgeAnchor = (
  { storeId, events }: StoreHead,
  point: AnchorPoint,
  macAt: (sequence: number) => HexDigest | null,
): AnchorJudgement => {
  if (point.storeId !== storeId) return "foreign";
  if (point.generation > events) return "rolled-back";
  if (macAt(point.generation) !== point.head) return "rolled-back";
  return point.generation === events ? "same" : "behind";
};
