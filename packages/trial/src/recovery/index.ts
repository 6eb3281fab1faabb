export { giveUpRun, markEvidence } from "./give-up.js";
export { giveUpDeadRuns } from "./give-up-dead.js";
export { handOver } from "./hand-over.js";
export { isOwned } from "./owner.js";
export { type Recovered, recoverRuns } from "./recover.js";
export { scratchOf, sweepMachine } from "./sweep.js";
