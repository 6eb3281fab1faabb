import type { ResolverLimits } from "../limits.js";
import { MAX_UDP_BYTES } from "../message/format.js";
import type { SectionCounts } from "../message/read-head.js";

export type Transport = "udp" | "tcp";

/** Guard: whether a message is larger than what is read at all. Judged before any record is. */
export const overLimit = (
  bytes: number,
  over: Transport,
  counts: SectionCounts,
  limits: Pick<ResolverLimits, "maxAnswers" | "maxMessageBytes">,
): boolean =>
  bytes > (over === "udp" ? MAX_UDP_BYTES : limits.maxMessageBytes) ||
  Object.values(counts).some((count) => count > limits.maxAnswers);
