export { type BoundaryTime, listBoundaries, listRehearsals, type RehearsalTime } from "./list.js";
export { type EvidencePlace, openEvidence } from "./open.js";
export { giveUpUnclaimed, isClaimed } from "./owner.js";
