export { describeDifference, isAbout } from "./about.js";
export { compareRulesets } from "./compare.js";
export {
  type Difference,
  type DifferenceKind,
  isOfOwnTables,
  MAX_DIFFERENCES,
} from "./difference.js";
export {
  compareSettings,
  expectedSettings,
  type ObservedSettings,
  type Setting,
  type SettingsScope,
} from "./settings.js";
