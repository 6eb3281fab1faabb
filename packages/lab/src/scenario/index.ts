export { type Oracle, SCENARIOS, type Scenario, type ScenarioName } from "./catalogue.js";
export type { ScenarioReport } from "./report.js";
export { runScenario } from "./run-scenario.js";
export type { ApplianceView, HandedStore, World } from "./world.js";
