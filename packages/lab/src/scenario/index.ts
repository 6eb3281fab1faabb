export { SCENARIOS } from "./catalogue/index.js";
export type { Scenario } from "./model.js";
export type { ScenarioName } from "./names.js";
export type { Observed, Oracle } from "./oracle.js";
export type { ScenarioRecord } from "./record.js";
export { type ScenarioReport, scenarioReportShape } from "./report.js";
export { runScenario } from "./run-scenario.js";
export { type Unexpected, unexpectedOf, unexpectedShape } from "./unexpected.js";
export type {
  ApplianceFromOutside,
  ApplianceView,
  ConsoleAnswer,
  HandedStore,
  World,
} from "./world.js";
