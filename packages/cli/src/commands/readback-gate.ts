import { judgeReadbackReceipt, type ReadbackDemand, type ReadbackFault } from "@drydock/boundary";
import type { Reason } from "@drydock/broker";

export interface ReadbackGatePorts {
  /** The receipt's bytes, or null where there are none, for whatever reason. */
  readonly read: () => Uint8Array | null;
  /** Milliseconds since 1970. */
  readonly wallMs: () => number;
  /** Milliseconds that only pass: setting the clock must not keep an old file alive. */
  readonly monotonicMs: () => number;
}

/** A receipt that says the rules don't hold any longer counts within this; a busy broker reads so often. */
export const READBACK_REREAD_MS = 200;

const REASON: Readonly<Record<ReadbackFault, Reason>> = {
  missing: "READBACK_MISSING",
  unsigned: "READBACK_UNSIGNED",
  different: "READBACK_DIFFERENT",
  failed: "READBACK_FAILED",
  stale: "READBACK_STALE",
};

/** Why a broker lets nothing out now, or null. A file that was read is judged anew each time. */
export const createReadbackGate = (
  demand: ReadbackDemand,
  { read, wallMs, monotonicMs }: ReadbackGatePorts,
): (() => Reason | null) => {
  let kept: { readonly bytes: Uint8Array | null; readonly at: number } | null = null;
  return () => {
    const at = monotonicMs();
    if (kept === null || at - kept.at >= READBACK_REREAD_MS) kept = { bytes: read(), at };
    const fault = judgeReadbackReceipt(kept.bytes, demand, wallMs());
    return fault === null ? null : REASON[fault];
  };
};
