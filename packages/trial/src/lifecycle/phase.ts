/** The phases of a run in their order. KILLING replaces what is left of them after BOOT. */
export const ORDERLY_PHASES = [
  "PLAN",
  "SEAL",
  "APPROVE",
  "RESERVE",
  "STAGE",
  "BOOT",
  "ATTEST",
  "HANDSHAKE",
  "DRIVE",
  "INJECT",
  "OBSERVE",
  "QUIESCE",
  "COLLECT",
  "VERIFY",
  "SETTLE",
  "DESTROY",
] as const;

export type OrderlyPhase = (typeof ORDERLY_PHASES)[number];
export type Phase = OrderlyPhase | "KILLING";
