export type { Advisory } from "./advisories.js";
export { type CheckReport, type CheckRequest, checkExhaustively } from "./check.js";
export type { Conflict } from "./conflicts.js";
export type { PacketDifference } from "./differences.js";
export type { Gap } from "./gaps.js";
export { describePacket, printReport } from "./print.js";
