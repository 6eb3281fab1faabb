export { chosenScenarios } from "./chosen.js";
export { type AcceptanceReport, acceptanceReport, type Played } from "./report.js";
export { type AcceptanceOptions, runFullAcceptance } from "./run-full-acceptance.js";
