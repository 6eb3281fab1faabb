import type { OrderlyPhase } from "./phase.js";

/** What differs from run to run in the way through the phases. */
export interface LifecyclePlan {
  /** Channels beyond `control.0`, granted in this order before DRIVE. */
  readonly channels: readonly string[];
  /** Those of them that are revoked at QUIESCE: ways out, which nothing of the end needs. */
  readonly quiesced: readonly string[];
  readonly deadlines: Deadlines;
}

/** All in milliseconds; the reaper holds them, from before there is anything to kill. */
export interface Deadlines {
  /** From BOOT to the end of COLLECT. */
  readonly wall: number;
  /** Without a byte from the guest during DRIVE; null turns it off. */
  readonly idle: number | null;
  /** DRIVE has none of its own: the wall deadline is what bounds it. */
  readonly phase: Readonly<Record<Exclude<OrderlyPhase, "DRIVE">, number>>;
  /** For one task while the run is being ended. */
  readonly ending: number;
}

/** Commands that run at once. The agent holds a stream triple for each, so there is a limit. */
export const MAX_CONCURRENT_COMMANDS = 16;

export const CONTROL_CHANNEL = "drydock.control.0";
