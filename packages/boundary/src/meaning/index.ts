export { describeGround, type Files } from "./describe.js";
export { type End, type Explanation, explain, printExplanation } from "./explain.js";
export {
  type Boundary,
  expectedAction,
  type Opinion,
  platformMeaning,
  scenarioMeaning,
} from "./packet.js";
export { describePlace, type Place, placesNamed, placesOf } from "./place.js";
export { judgePlatform } from "./platform.js";
export {
  judgeScenario,
  matches,
  type Service,
  type Voice,
  voicesAmong,
} from "./scenario.js";
export { predictTruthTable, type TruthCell } from "./truth-table.js";
