export {
  type HaltJudgement,
  type HaltListing,
  type HaltSignatureCheck,
  judgeHalt,
} from "./judge.js";
export { type HaltPlace, listHaltPlace } from "./place.js";
export {
  type HaltRecord,
  type HaltSignature,
  type HaltStatement,
  haltRecordSchema,
  MAX_REASON,
  parseHaltRecord,
  statementBytes,
} from "./record.js";
export { type HaltStatus, haltStatus } from "./status.js";
export { haltOff, haltOn, proposeHaltOff } from "./switch.js";
