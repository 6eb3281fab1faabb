import type { TaskKind } from "./effect.js";
import type { Phase } from "./phase.js";
import { CONTROL_CHANNEL } from "./plan.js";

/** One thing to do. `drive` waits for the commands; `awaitQuiet` for all tasks still out. */
export type Stop =
  | {
      readonly phase: Phase;
      readonly do: Exclude<
        TaskKind,
        "grantChannel" | "revokeChannel" | "checkHalt" | "attest" | "stopGuest" | "command"
      >;
    }
  | { readonly phase: Phase; readonly do: "checkHalt"; readonly before: string }
  | {
      readonly phase: Phase;
      readonly do: "grantChannel" | "revokeChannel";
      readonly channel: string;
    }
  | { readonly phase: Phase; readonly do: "attest"; readonly stage: "start" | "end" }
  | { readonly phase: Phase; readonly do: "stopGuest"; readonly mode: "orderly" | "kill" }
  | { readonly phase: Phase; readonly do: "drive" | "awaitQuiet" | "skipPhase" };

/** From PLAN to the last moment at which a failure still leads to KILLING. */
export const forwardRoute = (
  channels: readonly string[],
  quiesced: readonly string[],
): readonly Stop[] => [
  { phase: "PLAN", do: "armReaper" },
  { phase: "PLAN", do: "propose" },
  { phase: "SEAL", do: "sealSource" },
  { phase: "SEAL", do: "openLog" },
  { phase: "SEAL", do: "appendJournal" },
  { phase: "APPROVE", do: "approve" },
  { phase: "RESERVE", do: "checkHalt", before: "reserve" },
  { phase: "RESERVE", do: "reserve" },
  { phase: "STAGE", do: "createSlot" },
  { phase: "STAGE", do: "stageFiles" },
  { phase: "BOOT", do: "checkHalt", before: "boot" },
  { phase: "BOOT", do: "commitIntent" },
  { phase: "BOOT", do: "spawnVmm" },
  { phase: "ATTEST", do: "attest", stage: "start" },
  ...grant(CONTROL_CHANNEL),
  { phase: "HANDSHAKE", do: "startGuest" },
  { phase: "HANDSHAKE", do: "handshake" },
  ...channels.flatMap(grant),
  { phase: "DRIVE", do: "drive" },
  // A plain run injects no faults; scenarios put theirs here.
  { phase: "INJECT", do: "skipPhase" },
  { phase: "OBSERVE", do: "observe" },
  ...quiesced.map((channel): Stop => ({ phase: "QUIESCE", do: "revokeChannel", channel })),
  { phase: "QUIESCE", do: "quiesce" },
  { phase: "COLLECT", do: "collectArtifacts" },
  { phase: "VERIFY", do: "attest", stage: "end" },
  { phase: "SETTLE", do: "revokeChannels" },
  // The revocation has to be durable before the guest is asked to stop.
  { phase: "SETTLE", do: "checkpoint" },
  { phase: "SETTLE", do: "measureUsage" },
];

const grant = (channel: string): readonly Stop[] => [
  { phase: "HANDSHAKE", do: "checkHalt", before: `grant:${channel}` },
  { phase: "HANDSHAKE", do: "grantChannel", channel },
];

/** Guard: the doors are shut, and known to be shut, before the guest hears of the end. */
export const KILL_ROUTE: readonly Stop[] = [
  { phase: "KILLING", do: "revokeChannels" },
  { phase: "KILLING", do: "checkpoint" },
  { phase: "KILLING", do: "stopGuest", mode: "kill" },
  { phase: "KILLING", do: "measureUsage" },
];

export const ORDERLY_STOP: readonly Stop[] = [
  { phase: "DESTROY", do: "stopGuest", mode: "orderly" },
];

/** How every run ends, from wherever it comes. Capacity goes back only after the body is gone. */
export const END_ROUTE: readonly Stop[] = [
  { phase: "DESTROY", do: "awaitQuiet" },
  { phase: "DESTROY", do: "destroySlot" },
  { phase: "DESTROY", do: "compareSource" },
  { phase: "DESTROY", do: "settle" },
  { phase: "DESTROY", do: "endLog" },
  { phase: "DESTROY", do: "deriveVerdict" },
  { phase: "DESTROY", do: "conclude" },
  { phase: "DESTROY", do: "disarmReaper" },
];
